#include "api.hpp"

#include <algorithm>
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

}  // namespace

std::string Api::refuse_firewall(const json& body) const {
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
    if (!tags_.contains(tag.get<std::string>()))
      return "tag " + tag.get<std::string>() + " does not exist";
  }
  return {};
}

ApiAnswer Api::firewalls(const std::string& method, const Route& route) {
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
      for (const auto& [id, firewall] : firewalls_) items.push_back(&firewall);
      return page("firewalls", items, route);
    }
    if (method != "POST") return error(404, "no such resource");
    if (std::string fault = refuse_firewall(route.body); !fault.empty()) return error(422, fault);
    for (const auto& [id, firewall] : firewalls_) {
      if (firewall["name"] == route.body["name"]) return error(409, "duplicate name");
    }
    const std::string id = uuid();
    write(firewalls_[id], id);
    return ok(202, {{"firewall", firewalls_[id]}});
  }
  const auto place = firewalls_.find(route.parts[2]);
  if (place == firewalls_.end()) return error(404, "firewall not found");
  if (method == "GET") return ok(200, {{"firewall", place->second}});
  if (method == "DELETE") {
    firewalls_.erase(place);
    return ok(204, nullptr);
  }
  if (method != "PUT") return error(404, "no such resource");
  if (std::string fault = refuse_firewall(route.body); !fault.empty()) return error(422, fault);
  write(place->second, place->first);
  return ok(200, {{"firewall", place->second}});
}

ApiAnswer Api::tags(const std::string& method, const Route& route) {
  static const std::regex kName("^[a-zA-Z0-9_\\-\\:]+$");
  const auto as_json = [](const std::string& name, size_t count) {
    return json{{"name", name}, {"resources", {{"count", count}}}};
  };
  if (route.parts.size() == 2) {
    if (method == "POST") {
      const std::string name = route.body.value("name", "");
      if (name.size() > 255 || !std::regex_match(name, kName)) {
        return ok(
            400, {{"error", "invalid tag"}, {"messages", nullptr}, {"root_causes", json::array()}});
      }
      tags_[name];
      return ok(201, {{"tag", as_json(name, 0)}});
    }
    std::vector<json> all;
    for (const auto& [name, resources] : tags_) all.push_back(as_json(name, resources.size()));
    std::vector<const json*> items;
    for (const json& item : all) items.push_back(&item);
    return page("tags", items, route);
  }
  const auto place = tags_.find(route.parts[2]);
  if (place == tags_.end()) return error(404, "tag not found");
  if (route.parts.size() == 3) {
    if (method == "GET") return ok(200, {{"tag", as_json(place->first, place->second.size())}});
    if (method != "DELETE") return error(404, "no such resource");
    for (auto& [id, balancer] : load_balancers_) {
      json& labels = balancer["tags"];
      labels.erase(std::remove(labels.begin(), labels.end(), json(place->first)), labels.end());
    }
    tags_.erase(place);
    return ok(204, nullptr);
  }
  if (route.parts[3] != "resources" || (method != "POST" && method != "DELETE")) {
    return error(404, "no such resource");
  }
  for (const json& resource : route.body.at("resources")) {
    const std::string id = resource.at("resource_id");
    const std::string type = resource.at("resource_type");
    if (type == "load_balancer" && !load_balancers_.contains(id))
      return error(422, "no such resource");
    if (type == "droplet" && !droplets_.contains(std::stoll(id)))
      return error(422, "no such resource");
  }
  for (const json& resource : route.body.at("resources")) {
    const std::string id = resource.at("resource_id");
    const std::string type = resource.at("resource_type");
    const std::string key = type + "/" + id;
    std::erase(place->second, key);
    if (method == "POST") place->second.push_back(key);
    json* labels = type == "load_balancer" ? &load_balancers_.at(id)["tags"]
                   : type == "droplet"     ? &droplets_.at(std::stoll(id))["tags"]
                                           : nullptr;
    if (labels == nullptr) continue;
    const auto found = std::find(labels->begin(), labels->end(), json(place->first));
    if (found != labels->end()) labels->erase(found);
    if (method == "POST") labels->push_back(place->first);
  }
  return ok(204, nullptr);
}

}  // namespace ccm::digitalocean_api
