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

// All outbound traffic is allowed (DO-264).
json outbound_json() {
  const json to = {{"addresses", json::array({"0.0.0.0/0", "::/0"})}};
  return json::array({{{"protocol", "tcp"}, {"ports", "all"}, {"destinations", to}},
                      {{"protocol", "udp"}, {"ports", "all"}, {"destinations", to}},
                      {{"protocol", "icmp"}, {"destinations", to}}});
}

// Peers that are managed. Others may be added by hand; they are no difference (DO-272).
constexpr const char* kManagedPeers[] = {"addresses", "load_balancer_uids"};

// All ports are "0", "all" or none (DO-351); lists have no order, and empty ones are none.
std::string one_form(const json& rule, const char* peers) {
  const std::string ports = text_or_empty(rule, "ports");
  json form = {{"protocol", text_or_empty(rule, "protocol")},
               {"ports", ports.empty() || ports == "all" ? std::string("0") : ports}};
  const auto place = rule.find(peers);
  if (place != rule.end() && place->is_object()) {
    for (const char* kind : kManagedPeers) {
      const auto list = place->find(kind);
      if (list == place->end() || !list->is_array() || list->empty()) continue;
      json sorted = *list;
      std::sort(sorted.begin(), sorted.end());
      form[peers][kind] = std::move(sorted);
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

// Adds the other peers of `rules` to `added`.
void read_added_peers(const json& rules, const char* peers, ExistingFirewall::AddedPeers& added) {
  if (!rules.is_array()) return;
  for (const json& rule : rules) {
    const auto place = rule.is_object() ? rule.find(peers) : rule.end();
    if (!rule.is_object() || place == rule.end() || !place->is_object()) continue;
    const std::string form = one_form(rule, peers);
    for (const auto& [kind, list] : place->items()) {
      const bool managed = kind == kManagedPeers[0] || kind == kManagedPeers[1];
      if (managed || !list.is_array()) continue;
      for (const json& peer : list) added[form][kind].insert(peer.dump());
    }
  }
}

// Manual additions stay.
json with_added_peers(json rule, const char* peers, const ExistingFirewall::AddedPeers& added) {
  const auto place = added.find(one_form(rule, peers));
  if (place == added.end()) return rule;
  for (const auto& [kind, texts] : place->second) {
    for (const std::string& text : texts) rule[peers][kind].push_back(read_own_json(text));
  }
  return rule;
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
  const json inbound = from.value("inbound_rules", json());
  const json outbound = from.value("outbound_rules", json());
  firewall.inbound = forms(inbound, "sources");
  firewall.outbound = forms(outbound, "destinations");
  read_added_peers(inbound, "sources", firewall.added_sources);
  read_added_peers(outbound, "destinations", firewall.added_destinations);
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

// The rules that Services in doubt have opened. The sources do not count: nobody can know which
// ones they were before the doubt.
class KeptRules {
 public:
  explicit KeptRules(const std::set<FirewallRule>& rules) {
    for (const FirewallRule& rule : rules) {
      if (rule.load_balancer_uids.empty()) {
        ports_.emplace(rule.protocol, std::to_string(rule.port));
      } else {
        balancers_.insert(rule.load_balancer_uids.front());
      }
    }
  }

  [[nodiscard]] bool has(const json& open) const {
    if (ports_.contains({text_or_empty(open, "protocol"), text_or_empty(open, "ports")})) {
      return true;
    }
    const json sources = open.value("sources", json::object());
    const json balancers = sources.value("load_balancer_uids", json::array());
    return std::any_of(balancers.begin(), balancers.end(), [this](const json& uid) {
      return uid.is_string() && balancers_.contains(uid.get_ref<const std::string&>());
    });
  }

 private:
  std::set<std::pair<std::string, std::string>> ports_;  // of a protocol
  std::set<std::string, std::less<>> balancers_;
};

// In the form of ExistingFirewall.
std::set<std::string> inbound_rules(const WantedFirewall& wanted, const ExistingFirewall& now) {
  std::set<std::string> rules;
  for (const FirewallRule& rule : wanted.open) {
    rules.insert(one_form(inbound_json(rule), "sources"));
  }
  const KeptRules kept(wanted.kept);
  for (const std::string& open : now.inbound) {
    if (kept.has(read_own_json(open))) rules.insert(open);
  }
  return rules;
}

}  // namespace

bool satisfies(const WantedFirewall& wanted, const ExistingFirewall& existing) {
  const std::set<std::string> tags(wanted.tags.begin(), wanted.tags.end());
  return wanted.name == existing.name && inbound_rules(wanted, existing) == existing.inbound &&
         forms(outbound_json(), "destinations") == existing.outbound && tags == existing.tags;
}

std::string firewall_body(const WantedFirewall& wanted, const ExistingFirewall* existing) {
  static const ExistingFirewall kNone;
  const ExistingFirewall& now = existing != nullptr ? *existing : kNone;
  json inbound = json::array();
  for (const std::string& rule : inbound_rules(wanted, now)) {
    inbound.push_back(with_added_peers(read_own_json(rule), "sources", now.added_sources));
  }
  json outbound = json::array();
  for (const json& rule : outbound_json()) {
    outbound.push_back(with_added_peers(rule, "destinations", now.added_destinations));
  }
  json body = {{"name", wanted.name},
               {"inbound_rules", std::move(inbound)},
               {"outbound_rules", std::move(outbound)},
               {"tags", wanted.tags}};
  body["droplet_ids"] = now.droplet_ids;
  return body.dump();
}

Result<FirewallPage> parse_firewalls(std::string_view json_text) {
  return read_answer(json_text, &read_firewall_page);
}

Result<ExistingFirewall> parse_firewall(std::string_view json_text) {
  return read_answer(json_text, &read_firewall_item);
}

}  // namespace ccm::digitalocean
