#include "openstack_api/control.hpp"

#include "openstack_api/add_servers.hpp"

#include <stdexcept>

namespace ccm::openstack_api {
namespace {

constexpr size_t kRecent = 200;

milliseconds time_of(const json& value) { return milliseconds(value.get<int64_t>()); }

Outcome outcome_of(const std::string& name) {
  if (name == "active") return Outcome::kActive;
  if (name == "error") return Outcome::kError;
  if (name == "stuck") return Outcome::kStuck;
  throw std::invalid_argument("an outcome is active, error or stuck, not " + name);
}

void apply_setting(Cloud& cloud, const std::string& name, const json& value) {
  Region& region = cloud.region();
  if (name == "latency_ms") {
    cloud.latency = time_of(value);
  } else if (name == "token_lifetime_ms") {
    cloud.identity().token_lifetime = time_of(value);
  } else if (name == "token_cache_ms") {
    cloud.token_cache = time_of(value);
  } else if (name == "server_action_ms") {
    region.compute.action_time = time_of(value);
  } else if (name == "create_ms") {
    region.load_balancing.create_time = time_of(value);
  } else if (name == "update_ms") {
    region.load_balancing.update_time = time_of(value);
  } else if (name == "delete_ms") {
    region.load_balancing.delete_time = time_of(value);
  } else if (name == "outcomes") {
    for (const json& outcome : value) region.load_balancing.outcomes.push_back(outcome_of(outcome));
  } else if (name == "providers") {
    region.load_balancing.providers = value.get<std::vector<std::string>>();
  } else if (name == "most_routes") {
    region.network.most_routes = value;
  } else if (name == "extensions") {
    region.network.extensions = value.get<std::vector<std::string>>();
  } else if (name == "page_size") {
    region.compute.page_size = value;
    region.load_balancing.page_size = value;
  } else if (name == "newest_compute_version") {
    region.compute.newest_version = value;
  } else if (name == "newest_load_balancer_version") {
    region.load_balancing.newest_version = value;
  } else if (name == "without_service") {
    cloud.identity().remove_service(value);
  } else if (name == "away") {
    region.away = value;
  } else {
    throw std::invalid_argument("there is no setting \"" + name + "\"");
  }
}

json calls(const Cloud& cloud) {
  json recent = json::array();
  const auto& log = cloud.log();
  for (size_t i = log.size() > kRecent ? log.size() - kRecent : 0; i < log.size(); ++i) {
    recent.push_back(
        {{"method", log[i].method}, {"target", log[i].target}, {"status", log[i].status}});
  }
  return {{"total", cloud.calls()}, {"writes", cloud.writes()}, {"recent", std::move(recent)}};
}

// On that network, which is made when it is not there: large enough for 65,000.
void remove_server(Cloud& cloud, const std::string& name) {
  const json* server = cloud.region().compute.servers().find_by("name", name);
  if (server == nullptr) throw std::invalid_argument("there is no server " + name);
  cloud.region().compute.remove_server(server->at("id"));
}

void patch_record(Cloud& cloud, const std::string& collection, const std::string& id,
                  const json& members) {
  Region& region = cloud.region();
  Records& records = collection == "servers" ? region.compute.servers()
                     : resource_at(collection) != nullptr
                         ? region.network.records(collection)
                         : region.load_balancing.records(collection);
  json* record = records.find(id);
  if (record == nullptr)
    throw std::invalid_argument("there is no " + id + " among the " + collection);
  record->update(members);
  // A hand that sets a state means it to stay.
  if (members.contains("provisioning_status")) record->erase(".due");
}

json act(const Request& request, const std::vector<std::string>& path, Server& server) {
  const std::string what = request.method + " " + path.at(1);
  const json body = request.body.empty() ? json() : json::parse(request.body);
  json out = json::object();
  if (what == "POST reset") {
    server.reset();
    return out;
  }
  server.with([&](Cloud& cloud) {
    if (what == "PUT faults") {
      cloud.faults.clear();
      for (const json& rule : body) cloud.faults.add(Fault::from_json(rule));
    } else if (what == "PUT settings") {
      for (const auto& [name, value] : body.items()) apply_setting(cloud, name, value);
    } else if (what == "DELETE tokens") {
      cloud.identity().revoke_all();
    } else if (what == "GET calls") {
      out = calls(cloud);
    } else if (what == "DELETE calls") {
      cloud.clear_log();
    } else if (what == "POST servers") {
      add_servers(cloud, server.facts(), body.at("prefix"), body.at("count"),
                  body.value("network", "nodes"));
    } else if (what == "DELETE servers") {
      remove_server(cloud, path.at(2));
    } else if (what == "PATCH records") {
      patch_record(cloud, path.at(2), path.at(3), body);
    } else {
      throw std::invalid_argument("there is no " + request.method + " " + request.target);
    }
  });
  return out;
}

}  // namespace

std::optional<Answer> control(const Request& request, Server& server) {
  if (!request.target.starts_with("/control/")) return std::nullopt;
  auto path = path_segments(request.target);
  path.erase(path.begin());
  try {
    return answer(200, act(request, path, server));
  } catch (const Refusal& refusal) {
    return refusal.answer;
  } catch (const std::exception& fault) {
    return answer(400, {{"message", fault.what()}});
  }
}

}  // namespace ccm::openstack_api
