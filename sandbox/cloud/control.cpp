#include "cloud/cloud_server.hpp"

#include <stdexcept>

namespace sandbox::cloud {
namespace {

CloudError no_such_path() { return {404, "not_found", "no such path"}; }

std::string text(const Json& body, const char* member, const std::string& otherwise) {
  auto found = body.find(member);
  if (found == body.end()) return otherwise;
  if (!found->is_string()) throw std::invalid_argument(std::string(member) + " has to be a string");
  return *found;
}

Json parse(const http::Request& request) {
  if (request.body.empty()) return Json::object();
  Json body = Json::parse(request.body, nullptr, false);
  if (body.is_discarded()) throw std::invalid_argument("the body is not JSON");
  if (!body.is_object()) throw std::invalid_argument("the body has to be an object");
  return body;
}

}  // namespace

http::Reply CloudServer::serve_control(const http::Request& request) {
  http::Reply reply;
  auto fail = [&](int status, const std::string& code, const std::string& message) {
    reply.response.status = status;
    reply.response.body = Json{{"error", {{"code", code}, {"message", message}}}}.dump();
  };
  try {
    reply.response.body = control(request, parse(request)).dump();
  } catch (const CloudError& error) {
    fail(error.status, error.code, error.message);
  } catch (const std::invalid_argument& error) {
    fail(400, "invalid", error.what());
  }
  return reply;
}

Json CloudServer::control(const http::Request& request, const Json& body) {
  std::string rest = request.path.substr(std::string_view("/control").size());
  const std::string& method = request.method;
  if (rest.starts_with("/machines")) {
    return control_machines(request, rest.substr(std::string_view("/machines").size()), body);
  }
  if (rest.starts_with("/load_balancers")) {
    return control_load_balancers(method, rest.substr(std::string_view("/load_balancers").size()),
                                  body);
  }
  if (rest.starts_with("/routes")) {
    return control_routes(method, rest.substr(std::string_view("/routes").size()), body);
  }
  if (rest == "/settings") {
    if (method == "PUT") return set_settings(body);
    if (method == "DELETE") return set_settings(Json::object());
    return settings_.describe();
  }
  if (rest == "/faults") {
    if (method == "PUT") return set_faults(body);
    if (method == "DELETE") return set_faults(Json::object());
    return faults_.describe();
  }
  if (rest == "/calls") {
    Json answer = calls_.describe();
    if (method == "DELETE") calls_.reset();
    return answer;
  }
  if (rest == "/state") {
    Json list = Json::array();
    for (const auto& item : machines_) list.push_back(item.second);
    return {{"machines", list},
            {"load_balancers", load_balancers_.list(now())},
            {"routes", routes_.list(machines_)},
            {"settings", settings_.describe()},
            {"faults", faults_.describe()}};
  }
  if (rest == "/token" && method == "PUT") {
    std::string token = text(body, "token", "");
    if (token.empty()) throw std::invalid_argument("token is missing");
    token_ = token;
    return Json::object();
  }
  throw no_such_path();
}

Json CloudServer::set_faults(const Json& body) {
  faults_ = CloudFaults::parse(body);
  rate_limit_.set_limit(faults_.rate_limit);
  return faults_.describe();
}

Json CloudServer::control_machines(const http::Request& request, const std::string& rest,
                                   const Json& body) {
  const std::string& method = request.method;
  if (rest.empty() && method == "DELETE") {
    machines_.clear();
    return Json::object();
  }
  if (rest.empty() && method == "POST") {
    const Json list = body.value("machines", Json());
    if (!list.is_array()) throw std::invalid_argument("machines has to be a list");
    for (const Json& machine : list) {
      if (!machine.is_object()) throw std::invalid_argument("a machine has to be an object");
      upsert(text(machine, "id", ""), machine);
    }
    return {{"total", machines_.size()}};
  }
  if (rest == "/generate" && method == "POST") {
    const Json count = body.value("count", Json());
    if (!count.is_number_integer() || count < 0 || count > 1000000) {
      throw std::invalid_argument("count has to be a number");
    }
    std::string status = text(body, "status", "running");
    if (!known_status(status)) throw std::invalid_argument("unknown status " + status);
    generate_machines(count, text(body, "prefix", "node-"), status);
    return {{"total", machines_.size()}};
  }
  if (rest.size() < 2 || rest[0] != '/') throw no_such_path();
  std::size_t slash = rest.find('/', 1);
  std::string id = http::percent_decode(rest.substr(1, slash - 1), false);
  if (slash != std::string::npos) {
    if (method != "POST") throw no_such_path();
    set_status(id, rest.substr(slash + 1));
    return machines_.find(id)->second;
  }
  if (method == "PUT") {
    upsert(id, body);
    return machines_.find(id)->second;
  }
  auto found = machines_.find(id);
  if (found == machines_.end()) throw CloudError{404, "not_found", "no machine " + id};
  Json machine = found->second;
  if (method == "DELETE") machines_.erase(found);
  return machine;
}

void CloudServer::upsert(const std::string& id, Json given) {
  auto found = machines_.find(id);
  long long generation = found == machines_.end() ? 0 : found->second.value("generation", 0LL);
  // A machine keeps its generated address when it is put again without addresses.
  if (found != machines_.end() && given.is_object() && !given.contains("addresses")) {
    given["addresses"] = found->second["addresses"];
  }
  Machine machine = complete_machine(id, std::move(given), next_number_);
  if (found == machines_.end()) ++next_number_;
  machine["generation"] = generation + 1;
  machines_[id] = std::move(machine);
}

void CloudServer::set_status(const std::string& id, const std::string& action) {
  std::string status = action == "stop"        ? "stopped"
                       : action == "start"     ? "running"
                       : action == "terminate" ? "terminated"
                                               : "";
  if (status.empty()) throw no_such_path();
  auto found = machines_.find(id);
  if (found == machines_.end()) throw CloudError{404, "not_found", "no machine " + id};
  found->second["status"] = status;
  found->second["generation"] = found->second.value("generation", 0LL) + 1;
}

void CloudServer::generate_machines(int count, const std::string& prefix,
                                    const std::string& status) {
  for (int i = 0; i < count; ++i) {
    std::string name = prefix + std::to_string(i);
    upsert(name, {{"name", name}, {"status", status}});
  }
}

}  // namespace sandbox::cloud
