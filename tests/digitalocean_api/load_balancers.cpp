#include "collections.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ccm::digitalocean_api {
namespace {

using Names = std::set<std::string>;

bool one_of(const json& value, const Names& allowed) {
  return value.is_string() && allowed.contains(value.get<std::string>());
}

bool is_port(const json& value) {
  return value.is_number_integer() && value.get<int64_t>() >= 1 && value.get<int64_t>() <= 65535;
}

std::string refuse_rule(const json& rule, const std::map<std::string, json>& certificates) {
  static const Names kEntry = {"http", "https", "http2", "http3", "tcp", "udp"};
  static const Names kTarget = {"http", "https", "http2", "tcp", "udp"};
  if (!rule.is_object()) return "forwarding rule is no object";
  if (!one_of(rule.value("entry_protocol", json()), kEntry)) return "entry protocol is invalid";
  if (!one_of(rule.value("target_protocol", json()), kTarget)) return "target protocol is invalid";
  if (!is_port(rule.value("entry_port", json()))) return "entry port is invalid";
  if (!is_port(rule.value("target_port", json()))) return "target port is invalid";
  const int64_t port = rule["entry_port"];
  if (port >= 50053 && port <= 50055) return "entry port is invalid";  // DO-183
  const std::string certificate = rule.value("certificate_id", "");
  const bool passthrough = rule.value("tls_passthrough", false);
  const std::string entry = rule["entry_protocol"];
  const bool secure = entry == "https" || entry == "http2" || entry == "http3";
  if (secure && certificate.empty() && !passthrough) return "certificate_id is required";
  if (!certificate.empty() && !certificates.contains(certificate)) {
    return "certificate " + certificate + " does not exist";
  }
  return {};
}

std::string refuse_health_check(const json& check) {
  static const Names kProtocols = {"http", "https", "tcp"};
  if (!check.is_object()) return "health check is no object";
  if (!one_of(check.value("protocol", json()), kProtocols))
    return "health check protocol is invalid";
  if (!is_port(check.value("port", json()))) return "health check port is invalid";
  const auto outside = [&](const char* name, int64_t least, int64_t most) {
    return check.contains(name) &&
           (!check[name].is_number_integer() || check[name] < least || check[name] > most);
  };
  for (const char* name : {"check_interval_seconds", "response_timeout_seconds"}) {
    if (outside(name, 3, 300)) return std::string(name) + " must be 3 to 300";
  }
  for (const char* name : {"unhealthy_threshold", "healthy_threshold"}) {
    if (outside(name, 2, 10)) return std::string(name) + " must be 2 to 10";
  }
  return {};
}

const Names& known_members() {
  static const Names known = {"name",
                              "project_id",
                              "algorithm",
                              "region",
                              "size",
                              "size_unit",
                              "type",
                              "network",
                              "network_stack",
                              "forwarding_rules",
                              "health_check",
                              "sticky_sessions",
                              "droplet_ids",
                              "tag",
                              "tags",
                              "redirect_http_to_https",
                              "enable_proxy_protocol",
                              "enable_backend_keepalive",
                              "http_idle_timeout_seconds",
                              "vpc_uuid",
                              "subnet_uuid",
                              "disable_lets_encrypt_dns_records",
                              "firewall",
                              "domains",
                              "glb_settings",
                              "target_load_balancer_ids",
                              "tls_cipher_policy",
                              "ip",
                              "validate_only"};
  return known;
}

std::string refuse_members(const json& body) {
  for (const auto& [name, value] : body.items()) {
    if (!known_members().contains(name)) return name + " is not a valid attribute";
  }
  const std::pair<const char*, Names> enums[] = {
      {"type", {"REGIONAL", "REGIONAL_NETWORK", "GLOBAL"}},
      {"network", {"EXTERNAL", "INTERNAL"}},
      {"network_stack", {"IPV4", "DUALSTACK"}},
      {"size", {"lb-small", "lb-medium", "lb-large"}},
      {"algorithm", {"round_robin", "least_connections"}},
      {"tls_cipher_policy", {"DEFAULT", "STRONG"}}};
  for (const auto& [name, allowed] : enums) {
    if (body.contains(name) && !one_of(body[name], allowed))
      return std::string(name) + " is invalid";
  }
  const auto outside = [&](const char* name, int64_t least, int64_t most) {
    return body.contains(name) &&
           (!body[name].is_number_integer() || body[name] < least || body[name] > most);
  };
  if (outside("size_unit", 1, 100)) return "size_unit must be 1 to 100";
  if (outside("http_idle_timeout_seconds", 30, 600)) return "idle timeout must be 30 to 600";
  if (body.contains("size") && body.contains("size_unit"))
    return "size and size_unit exclude each other";
  if (body.contains("droplet_ids") == body.contains("tag")) return "droplet_ids or tag is required";
  if (!body.contains("region")) return "region is required";
  return {};
}

// The text of a 422, or empty.
std::string refuse_load_balancer(Account& account, const json& body, const json* existing) {
  if (std::string fault = refuse_members(body); !fault.empty()) return fault;
  const auto rules = body.find("forwarding_rules");
  if (rules == body.end() || !rules->is_array() || rules->empty()) {
    return "at least one forwarding rule is required";
  }
  std::set<std::pair<std::string, int64_t>> entries;
  for (const json& rule : *rules) {
    if (std::string fault = refuse_rule(rule, account.certificates()); !fault.empty()) return fault;
    const std::string entry = rule["entry_protocol"];
    const std::string transport = entry == "udp" || entry == "http3" ? "udp" : "tcp";
    if (!entries.emplace(transport, rule["entry_port"]).second) return "entry ports must differ";
  }
  if (body.contains("health_check")) {
    if (std::string fault = refuse_health_check(body["health_check"]); !fault.empty()) return fault;
  }
  for (const auto& [id, other] : account.load_balancers()) {  // DO-347
    const bool same = existing != nullptr && (*existing)["id"] == id;
    if (!same && other["name"] == body.value("name", "")) {
      return "There is already a load balancer with that name";
    }
  }
  for (const json& id : body.value("droplet_ids", json::array())) {
    const auto droplet = account.droplets().find(id.get<int64_t>());
    const std::string wanted = body.value("vpc_uuid", account.vpc);
    if (droplet == account.droplets().end() || droplet->second["vpc_uuid"] != wanted) {
      return "some of the specified target droplets don't belong to the same VPC as the Load "
             "Balancer";
    }
  }
  if (std::find(account.regions.begin(), account.regions.end(), body["region"]) ==
      account.regions.end()) {
    return "region is invalid";
  }
  if (existing == nullptr) return {};
  for (const char* name : {"type", "network", "network_stack"}) {
    if (body.contains(name) && body[name] != (*existing)[name]) {
      return std::string(name) + " cannot be changed";
    }
  }
  return body["region"] == (*existing)["region"]["slug"] ? "" : "region cannot be changed";
}

ApiAnswer create_load_balancer(Account& account, const json& body) {
  const std::string fault = refuse_load_balancer(account, body, nullptr);
  if (!fault.empty()) return error(422, fault);
  json members = body;
  members["status"] = "new";
  members["ip"] = body.value("ip", "");
  members.erase("validate_only");
  if (body.value("validate_only", false)) return ok(202, {{"load_balancer", members}});
  return ok(202, {{"load_balancer", account.begin_load_balancer(std::move(members))}});
}

ApiAnswer answer_load_balancer(Account& account, const std::string& method, const Route& route,
                               json& balancer) {
  if (route.parts.size() == 3) {
    if (method == "GET") return ok(200, {{"load_balancer", balancer}});
    if (method == "DELETE") {
      account.load_balancers().erase(route.parts[2]);
      return ok(204, nullptr);
    }
    if (method != "PUT") return error(404, "no such resource");
    const std::string fault = refuse_load_balancer(account, route.body, &balancer);
    if (!fault.empty()) return error(422, fault);
    json body = route.body;
    for (const std::string& name : account.ignored_members) {
      body.erase(name);
      if (balancer.contains(name)) body[name] = balancer[name];
    }
    account.write_load_balancer(body, balancer);
    return ok(200, {{"load_balancer", balancer}});
  }
  if (route.parts[3] != "droplets" || (method != "POST" && method != "DELETE")) {
    return error(404, "no such resource");
  }
  if (balancer["tag"] != "") return error(422, "the load balancer targets droplets by tag");
  std::set<int64_t> ids = balancer["droplet_ids"];
  for (const json& id : route.body.at("droplet_ids")) {
    if (method == "POST") {
      if (!account.droplets().contains(id)) return error(422, "droplet does not exist");
      ids.insert(id.get<int64_t>());
    } else {
      ids.erase(id.get<int64_t>());
    }
  }
  balancer["droplet_ids"] = ids;
  return ok(204, nullptr);
}

}  // namespace

ApiAnswer answer_load_balancers(Account& account, const std::string& method, const Route& route) {
  account.advance();
  if (route.parts.size() > 2) {
    const auto place = account.load_balancers().find(route.parts[2]);
    if (place == account.load_balancers().end())
      return error(404, "The load balancer was not found");
    return answer_load_balancer(account, method, route, place->second);
  }
  if (method == "POST") return create_load_balancer(account, route.body);
  if (method != "GET") return error(404, "no such resource");
  std::vector<const json*> items;
  for (const auto& [id, balancer] : account.load_balancers()) items.push_back(&balancer);
  return page("load_balancers", items, route);
}

}  // namespace ccm::digitalocean_api
