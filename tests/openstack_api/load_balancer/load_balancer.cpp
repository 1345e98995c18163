#include "openstack_api/load_balancer/load_balancer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::openstack_api {
namespace {

constexpr std::array kQuotas = {"load_balancer", "listener", "pool",  "health_monitor",
                                "member",        "l7policy", "l7rule"};

[[noreturn]] void not_there() {
  throw Refusal{answer(404, {{"code", 404}, {"title", "Not Found"}, {"description", ""}})};
}

[[noreturn]] void forbidden() {
  refuse_octavia(403, "Policy does not allow this request to be performed.");
}

}  // namespace

LoadBalancing::LoadBalancing(World& world, std::string url, Network& network,
                             KeyManager& key_manager)
    : world_(world), url_(std::move(url)), network_(network), key_manager_(key_manager) {
  records_.try_emplace("loadbalancers");
  records_.try_emplace("listeners", ".lb");
  records_.try_emplace("pools", ".lb");
  records_.try_emplace("members", ".pool");
  records_.try_emplace("healthmonitors", ".pool");
}

Answer LoadBalancing::handle(const Call& call) {
  advance();
  return dispatch(call);
}

Answer LoadBalancing::dispatch(const Call& call) {
  const auto& path = call.path;
  if (path.empty() || path[0].empty()) return answer(200, {{"versions", versions()}});
  if (path[0] != "v2.0" && path[0] != "v2") not_there();
  if (path.size() == 1 || path[1].empty() || (path[1] == "lbaas" && path.size() == 2)) {
    Answer made = answer(200, nullptr);
    made.body = "v2";
    made.headers["content-type"] = "application/json";
    return made;
  }
  if (path[1] != "lbaas") not_there();
  const std::string& collection = path[2];
  const bool known_method = call.method() == "GET" || call.method() == "POST" ||
                            call.method() == "PUT" || call.method() == "DELETE";
  if (!known_method) {
    throw Refusal{
        answer(405, {{"code", 405}, {"title", "Method Not Allowed"}, {"description", ""}})};
  }
  if (collection == "quotas" && path.size() == 4) return quotas(call);
  if (call.method() != "GET" && !call.caller.may_write()) forbidden();
  if (collection == "loadbalancers") return load_balancers(call);
  if (collection == "listeners") return listeners(call);
  if (collection == "pools") return pools(call);
  if (collection == "healthmonitors") return monitors(call);
  if (collection == "flavors") return named(call, "flavors", flavors);
  if (collection == "availabilityzones")
    return named(call, "availability_zones", availability_zones);
  if (collection == "providers") {
    json list = json::array();
    for (const std::string& name : providers) {
      const bool alias = name == "octavia";
      list.push_back(
          {{"name", name},
           {"description", alias ? "'Another name of amphora'" : "'Amphorae without machines'"}});
    }
    return answer(200, {{"providers", std::move(list)}});
  }
  not_there();
}

Answer LoadBalancing::named(const Call&, const char* collection,
                            const std::set<std::string>& names) const {
  json list = json::array();
  for (const std::string& name : names) {
    list.push_back({{"id", name}, {"name", name}, {"description", ""}, {"enabled", true}});
  }
  return answer(
      200, {{collection, std::move(list)}, {std::string(collection) + "_links", json::array()}});
}

json& LoadBalancing::found(Kind collection, const char* title, const std::string& id,
                           const Call& call) {
  json* record = records_.at(collection).find(id);
  if (record == nullptr) refuse_octavia(404, std::string(title) + " " + id + " not found.");
  if (!call.caller.sees(record->at("project_id"))) forbidden();
  return *record;
}

Answer LoadBalancing::load_balancers(const Call& call) {
  const auto& path = call.path;
  if (call.is("GET", 3)) return list(call, "loadbalancers", "");
  if (call.is("POST", 3)) return create_load_balancer(call);
  if (path.size() < 4) not_there();
  const bool failover = path.size() == 5 && path[4] == "failover";
  if (failover && !call.caller.is_admin()) forbidden();
  json& lb = found("loadbalancers", "Load Balancer", path[3], call);
  const std::string id = lb.at("id");
  if (call.is("GET", 5) && (path[4] == "status" || path[4] == "statuses")) {
    return answer(200, {{"statuses", {{"loadbalancer", tree(lb)}}}});
  }
  if (call.is("GET", 5) && path[4] == "stats") {
    return answer(200, {{"stats",
                         {{"active_connections", 0},
                          {"bytes_in", 0},
                          {"bytes_out", 0},
                          {"request_errors", 0},
                          {"total_connections", 0}}}});
  }
  if (call.is("GET", 4)) {
    json body = shown("loadbalancers", lb);
    if (const auto fields = call.query.values("fields"); !fields.empty()) {
      for (auto member = body.begin(); member != body.end();) {
        const bool wanted = std::find(fields.begin(), fields.end(), member.key()) != fields.end();
        member = wanted ? std::next(member) : body.erase(member);
      }
    }
    return answer(200, {{"loadbalancer", std::move(body)}});
  }
  const std::string status = lb.at("provisioning_status");
  const bool may =
      status == "ACTIVE" || (status == "ERROR" && (failover || call.method() == "DELETE"));
  const auto check_state = [&] {
    if (!may) refuse_octavia(409, "Invalid state " + status + " of loadbalancer resource " + id);
  };
  if (failover) {
    check_state();
    begin_change(lb, "PENDING_UPDATE", update_time);
    return answer(202, nullptr);
  }
  if (call.is("PUT", 4)) {
    const json changes =
        read_fields(call.request, "loadbalancer", "load_balancer", load_balancer_fields(false));
    check_state();
    apply(lb, changes,
          {{"name", ""}, {"description", ""}, {"tags", json::array()}, {"admin_state_up", true}});
    begin_change(lb, "PENDING_UPDATE", update_time);
    return answer(200, {{"loadbalancer", shown("loadbalancers", lb)}});
  }
  if (!call.is("DELETE", 4)) not_there();
  const std::string cascade = call.query.value("cascade").value_or("false");
  const bool with_children = cascade == "true" || cascade == "True" || cascade == "1";
  if (!with_children && !parts_of(id).empty()) {
    refuse_octavia(400,
                   "Validation failure: Cannot delete Load Balancer " + id + " - it has children");
  }
  check_state();
  begin_change(lb, "PENDING_DELETE", delete_time);
  return answer(204, nullptr);
}

Answer LoadBalancing::create_load_balancer(const Call& call) {
  const json wanted =
      read_fields(call.request, "loadbalancer", "load_balancer", load_balancer_fields(true));
  const std::string project = call.caller.project_id;
  const std::string provider = wanted.value("provider", providers.front());
  const json empty = json::array();
  const json listeners = wanted.value("listeners", empty);
  size_t pool_count = 0;
  size_t member_count = 0;
  size_t monitor_count = 0;
  for (const json& listener : listeners) {
    check_fields(listener, "load_balancer.loadbalancer.listeners", listener_fields(true, true));
    if (!listener.contains("default_pool")) continue;
    const json& pool = listener.at("default_pool");
    check_fields(pool, "load_balancer.loadbalancer.listeners.default_pool",
                 pool_fields(true, true));
    ++pool_count;
    for (const json& member : pool.value("members", empty)) {
      check_fields(member, "load_balancer.loadbalancer.listeners.default_pool.members",
                   member_fields(true));
      ++member_count;
    }
    if (!pool.contains("healthmonitor")) continue;
    check_fields(pool.at("healthmonitor"),
                 "load_balancer.loadbalancer.listeners.default_pool.healthmonitor",
                 monitor_fields(true, true));
    ++monitor_count;
  }
  if (!wanted.contains("vip_port_id") && !wanted.contains("vip_network_id") &&
      !wanted.contains("vip_subnet_id")) {
    refuse_octavia(
        400,
        "Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.");
  }
  if (std::find(providers.begin(), providers.end(), provider) == providers.end()) {
    refuse_octavia(400, "Provider '" + provider + "' is not enabled.");
  }
  if (wanted.contains("flavor_id") && !flavors.contains(wanted.at("flavor_id"))) {
    refuse_octavia(400, "Validation failure: Invalid flavor_id.");
  }
  if (wanted.contains("availability_zone") &&
      !availability_zones.contains(wanted.at("availability_zone"))) {
    refuse_octavia(400, "Validation failure: Invalid availability zone.");
  }
  check_quota(project, "load_balancer", 1);
  const std::string id = world_.new_id();
  const Vip vip = make_vip(wanted, call.caller, id);
  // A refusal from here on leaves the port.
  check_quota(project, "listener", listeners.size());
  check_quota(project, "pool", pool_count);
  check_quota(project, "member", member_count);
  check_quota(project, "health_monitor", monitor_count);
  json lb = {{"id", id},
             {"name", ""},
             {"description", ""},
             {"admin_state_up", true},
             {"project_id", project},
             {"tenant_id", project},
             {"provider", provider},
             {"tags", json::array()},
             {"flavor_id", nullptr},
             {"availability_zone", nullptr},
             {"operating_status", "OFFLINE"},
             {"provisioning_status", "PENDING_CREATE"},
             {"created_at", world_.timestamp("")},
             {"updated_at", nullptr},
             {"vip_address", vip.address},
             {"vip_port_id", vip.port_id},
             {"vip_subnet_id", vip.subnet_id},
             {"vip_network_id", vip.network_id},
             {"vip_qos_policy_id", nullptr},
             {"vip_sg_ids", json::array()},
             {"vip_vnic_type", "normal"},
             {"additional_vips", vip.additional},
             {".own_port", !wanted.contains("vip_port_id")}};
  for (const char* name :
       {"name", "description", "admin_state_up", "tags", "flavor_id", "availability_zone"}) {
    if (wanted.contains(name)) lb[name] = wanted.at(name);
  }
  json& kept = records_.at("loadbalancers").add(std::move(lb));
  try {
    add_all(listeners, kept);
  } catch (const Refusal&) {
    kept[".own_port"] = false;
    remove_load_balancer(id);
    throw;
  }
  begin_change(kept, "PENDING_CREATE", create_time);
  return answer(201, {{"loadbalancer", populated(kept)}});
}

// All pools before all listeners. Nobody looks whether the members' subnets exist.
void LoadBalancing::add_all(const json& listeners, const json& lb) {
  const json empty = json::array();
  std::set<json> names;
  for (const json& listener : listeners) {
    const json pool = listener.value("default_pool", json());
    check_provider(lb.at("provider"), listener, pool);
    if (pool.is_null()) continue;
    if (!pool.contains("name")) {
      refuse_octavia(400,
                     "Validation failure: Pools must be named when creating a fully populated "
                     "loadbalancer.");
    }
    if (!names.insert(pool.at("name")).second) {
      refuse_octavia(400,
                     "Validation failure: Pool names must be unique when creating a fully "
                     "populated loadbalancer.");
    }
  }
  std::map<std::string, json*> pools;  // by name
  for (const json& listener : listeners) {
    const json pool = listener.value("default_pool", json());
    if (pool.is_null()) continue;
    json& added = add_pool(pool, lb, nullptr);
    pools[pool.at("name")] = &added;
    if (pool.contains("healthmonitor")) {
      check_monitor(pool.at("healthmonitor"), pool.at("protocol"));
      add_monitor(pool.at("healthmonitor"), added);
    }
    for (const json& member : pool.value("members", empty)) add_member(member, added);
  }
  for (const json& listener : listeners) {
    const json pool = listener.value("default_pool", json());
    if (!pool.is_null()) check_pool(pool, {{"protocol", listener.at("protocol")}});
    check_listener(listener, lb);
    json& added = add_listener(listener, lb);
    if (!pool.is_null()) added["default_pool_id"] = pools.at(pool.at("name"))->at("id");
  }
}

void LoadBalancing::apply(json& record, const json& changes, const json& defaults) {
  for (const auto& [name, value] : changes.items()) {
    record[name] = value.is_null() && defaults.contains(name) ? defaults.at(name) : value;
  }
  record["updated_at"] = world_.timestamp("");
}

Answer LoadBalancing::quotas(const Call& call) {
  const std::string& project = call.path[3];
  const bool allowed = call.method() == "GET" ? call.caller.sees(project) : call.caller.is_admin();
  if (!allowed) forbidden();
  if (call.method() == "DELETE") {
    quotas_.erase(project);
    return answer(202, nullptr);
  }
  if (call.method() == "PUT") {
    const json limits = json::parse(call.request.body).at("quota");
    for (const auto& [resource, limit] : limits.items()) set_quota(project, resource, limit);
  }
  json limits = json::object();
  for (const char* resource : kQuotas) {
    const auto& set = quotas_[project];
    limits[resource] = set.contains(resource) ? set.at(resource) : -1;
  }
  return answer(call.method() == "GET" ? 200 : 202, {{"quota", std::move(limits)}});
}

void LoadBalancing::set_quota(const std::string& project_id, const std::string& resource,
                              int64_t limit) {
  quotas_[project_id][resource] = limit;
}

void LoadBalancing::check_quota(const std::string& project_id, const char* resource,
                                size_t more) const {
  static const std::map<std::string, std::pair<const char*, const char*>> kNames = {
      {"load_balancer", {"loadbalancers", "Load Balancer"}},
      {"listener", {"listeners", "Listener"}},
      {"pool", {"pools", "Pool"}},
      {"member", {"members", "Member"}},
      {"health_monitor", {"healthmonitors", "Health Monitor"}}};
  const auto project = quotas_.find(project_id);
  if (project == quotas_.end() || !project->second.contains(resource) || more == 0) return;
  const int64_t limit = project->second.at(resource);
  const auto& [collection, title] = kNames.at(resource);
  const auto& records = records_.at(collection);
  const auto used = std::count_if(records.begin(), records.end(), [&](const json& record) {
    return record.at("project_id") == project_id;
  });
  if (limit >= 0 && used + static_cast<int64_t>(more) > limit) {
    refuse_octavia(403, std::string("Quota has been met for resources: ") + title);
  }
}

}  // namespace ccm::openstack_api
