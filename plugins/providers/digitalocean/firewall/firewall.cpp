#include "firewall.hpp"

#include "digitalocean/json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::digitalocean {
namespace {

using nlohmann::json;

json inbound_json(const FirewallRule& rule) {
  json sources = json::object();
  if (!rule.addresses.empty()) sources["addresses"] = rule.addresses;
  if (!rule.load_balancer_uids.empty()) sources["load_balancer_uids"] = rule.load_balancer_uids;
  return {{"protocol", rule.protocol}, {"ports", std::to_string(rule.port)}, {"sources", sources}};
}

// Everything may leave (DO-264).
json outbound_json() {
  const json to = {{"addresses", json::array({"0.0.0.0/0", "::/0"})}};
  return json::array({{{"protocol", "tcp"}, {"ports", "all"}, {"destinations", to}},
                      {{"protocol", "udp"}, {"ports", "all"}, {"destinations", to}},
                      {{"protocol", "icmp"}, {"destinations", to}}});
}

// All ports are "0", "all" or none (DO-351); lists have no order, and empty ones are none.
std::string one_form(const json& rule, const char* peers) {
  const std::string ports = text_or_empty(rule, "ports");
  json form = {{"protocol", text_or_empty(rule, "protocol")},
               {"ports", ports.empty() || ports == "all" ? std::string("0") : ports}};
  const auto place = rule.find(peers);
  if (place != rule.end() && place->is_object()) {
    for (const auto& [kind, list] : place->items()) {
      if (!list.is_array() || list.empty()) continue;
      json sorted = list;
      std::sort(sorted.begin(), sorted.end());
      form[kind] = std::move(sorted);
    }
  }
  return form.dump();
}

std::set<std::string> forms(const json& rules, const char* peers) {
  std::set<std::string> all;
  if (!rules.is_array()) return all;
  for (const json& rule : rules) {
    if (rule.is_object()) all.insert(one_form(rule, peers));
  }
  return all;
}

template <typename T>
T list_member(const json& object, const char* name) {
  const auto place = object.find(name);
  return place == object.end() || place->is_null() ? T() : place->get<T>();
}

Result<ExistingFirewall> read_one_firewall(const json& from) {
  if (!from.is_object() || text_or_empty(from, "id").empty()) {
    return bad_answer("has a firewall without an id");
  }
  ExistingFirewall firewall;
  firewall.id = text_or_empty(from, "id");
  firewall.name = text_or_empty(from, "name");
  firewall.status = text_or_empty(from, "status");
  firewall.inbound = forms(from.value("inbound_rules", json()), "sources");
  firewall.outbound = forms(from.value("outbound_rules", json()), "destinations");
  firewall.tags = list_member<std::set<std::string>>(from, "tags");
  firewall.droplet_ids = list_member<std::vector<int64_t>>(from, "droplet_ids");
  return firewall;
}

Result<FirewallPage> read_firewall_page(const json& document) {
  const auto list = document.find("firewalls");
  if (list == document.end() || !list->is_array()) return bad_answer("has no list \"firewalls\"");
  FirewallPage page;
  for (const json& item : *list) {
    auto firewall = read_one_firewall(item);
    if (!firewall.ok()) return firewall.status();
    page.firewalls.push_back(*std::move(firewall));
  }
  page.total = document.at("meta").at("total").get<int64_t>();
  return page;
}

Result<ExistingFirewall> read_firewall_item(const json& document) {
  const auto item = document.find("firewall");
  if (item == document.end()) return bad_answer("has no firewall");
  return read_one_firewall(*item);
}

std::set<FirewallRule> all_rules(const WantedFirewall& wanted, const ExistingFirewall* existing) {
  std::set<FirewallRule> rules = wanted.open;
  for (const FirewallRule& rule : wanted.kept) {
    const bool open =
        existing != nullptr && existing->inbound.contains(one_form(inbound_json(rule), "sources"));
    if (open) rules.insert(rule);
  }
  return rules;
}

}  // namespace

bool satisfies(const WantedFirewall& wanted, const ExistingFirewall& existing) {
  std::set<std::string> inbound;
  for (const FirewallRule& rule : all_rules(wanted, &existing)) {
    inbound.insert(one_form(inbound_json(rule), "sources"));
  }
  const std::set<std::string> tags(wanted.tags.begin(), wanted.tags.end());
  return wanted.name == existing.name && inbound == existing.inbound &&
         forms(outbound_json(), "destinations") == existing.outbound && tags == existing.tags;
}

std::string firewall_body(const WantedFirewall& wanted, const ExistingFirewall* existing) {
  json inbound = json::array();
  for (const FirewallRule& rule : all_rules(wanted, existing)) {
    inbound.push_back(inbound_json(rule));
  }
  json body = {{"name", wanted.name},
               {"inbound_rules", std::move(inbound)},
               {"outbound_rules", outbound_json()},
               {"tags", wanted.tags}};
  body["droplet_ids"] = json::array();
  if (existing != nullptr) body["droplet_ids"] = existing->droplet_ids;
  return body.dump();
}

Result<FirewallPage> parse_firewalls(std::string_view json_text) {
  return read_answer<FirewallPage>(parse_json(json_text), &read_firewall_page);
}

Result<ExistingFirewall> parse_firewall(std::string_view json_text) {
  return read_answer<ExistingFirewall>(parse_json(json_text), &read_firewall_item);
}

}  // namespace ccm::digitalocean
