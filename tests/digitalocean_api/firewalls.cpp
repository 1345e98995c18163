#include "collections.hpp"

#include <regex>
#include <utility>

namespace ccm::digitalocean_api {
namespace {

std::string refuse_rules(const json& body, const char* list, const char* target) {
  if (!body.contains(list) || body[list].is_null()) return {};
  for (const json& rule : body[list]) {
    const std::string protocol = rule.value("protocol", "");
    if (protocol != "tcp" && protocol != "udp" && protocol != "icmp") return "protocol is invalid";
    if (protocol != "icmp" && !rule.contains("ports")) return "ports is required";
    if (!rule.contains(target) || !rule[target].is_object())
      return std::string(target) + " is required";
  }
  return {};
}

// "all" and no ports at all are answered as "0" (DO-351).
void normalise(json& rules) {
  if (!rules.is_array()) rules = json::array();
  for (json& rule : rules) {
    if (rule.value("ports", "all") == "all") rule["ports"] = "0";
  }
}

std::string refuse_firewall(Account& account, const json& body) {
  static const std::regex kName("^[a-zA-Z0-9][a-zA-Z0-9\\.-]+$");
  if (!std::regex_match(body.value("name", ""), kName)) return "name is invalid";
  if (body.value("inbound_rules", json()).is_null() &&
      body.value("outbound_rules", json()).is_null()) {
    return "at least one rule is required";
  }
  for (const auto& [list, target] :
       {std::pair("inbound_rules", "sources"), std::pair("outbound_rules", "destinations")}) {
    if (std::string fault = refuse_rules(body, list, target); !fault.empty()) return fault;
  }
  const json tags = body.value("tags", json::array());
  for (const json& tag : tags) {  // DO-266
    if (!account.tags().contains(tag.get<std::string>()))
      return "tag " + tag.get<std::string>() + " does not exist";
  }
  return {};
}

}  // namespace

ApiAnswer answer_firewalls(Account& account, const std::string& method, const Route& route) {
  const auto write = [&](json& firewall, const std::string& id) {
    const std::string created =
        firewall.is_object() ? firewall.at("created_at") : json("2026-01-01T00:00:00Z");
    firewall = route.body;
    firewall["id"] = id;
    firewall["created_at"] = created;
    firewall["status"] = "succeeded";
    firewall["pending_changes"] = json::array();
    if (!firewall.contains("droplet_ids") || firewall["droplet_ids"].is_null()) {
      firewall["droplet_ids"] = json::array();
    }
    if (!firewall.contains("tags")) firewall["tags"] = json::array();
    normalise(firewall["inbound_rules"]);
    normalise(firewall["outbound_rules"]);
  };
  if (route.parts.size() == 2) {
    if (method == "GET") {
      std::vector<const json*> items;
      for (const auto& [id, firewall] : account.firewalls()) items.push_back(&firewall);
      return page("firewalls", items, route);
    }
    if (method != "POST") return error(404, "no such resource");
    if (std::string fault = refuse_firewall(account, route.body); !fault.empty())
      return error(422, fault);
    for (const auto& [id, firewall] : account.firewalls()) {
      if (firewall["name"] == route.body["name"]) return error(409, "duplicate name");
    }
    const std::string id = account.uuid();
    write(account.firewalls()[id], id);
    return ok(202, {{"firewall", account.firewalls()[id]}});
  }
  const auto place = account.firewalls().find(route.parts[2]);
  if (place == account.firewalls().end()) return error(404, "firewall not found");
  if (method == "GET") return ok(200, {{"firewall", place->second}});
  if (method == "DELETE") {
    account.firewalls().erase(place);
    return ok(204, nullptr);
  }
  if (method != "PUT") return error(404, "no such resource");
  if (std::string fault = refuse_firewall(account, route.body); !fault.empty())
    return error(422, fault);
  write(place->second, place->first);
  return ok(200, {{"firewall", place->second}});
}

}  // namespace ccm::digitalocean_api
