#include "existing.hpp"

#include "digitalocean/json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::digitalocean {
namespace {

using nlohmann::json;

// These throw json::exception when a member has another type.
template <typename T>
T member(const json& object, const char* name, T fallback) {
  const auto place = object.find(name);
  return place == object.end() || place->is_null() ? fallback : value_as<T>(*place);
}
template <typename T>
std::optional<T> optional(const json& object, const char* name) {
  const auto place = object.find(name);
  if (place == object.end() || place->is_null()) return std::nullopt;
  return value_as<T>(*place);
}
const json* object_member(const json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_object() ? &*place : nullptr;
}

std::vector<ForwardingRule> read_rules(const json& balancer) {
  std::vector<ForwardingRule> rules;
  const auto list = balancer.find("forwarding_rules");
  if (list == balancer.end() || !list->is_array()) return rules;
  for (const json& rule : *list) {
    rules.push_back({text_of(rule, "entry_protocol"), member<int32_t>(rule, "entry_port", 0),
                     text_of(rule, "target_protocol"), member<int32_t>(rule, "target_port", 0),
                     text_of(rule, "certificate_id"), member(rule, "tls_passthrough", false)});
  }
  return rules;
}

HealthCheck read_health_check(const json& balancer) {
  HealthCheck check;
  const json* from = object_member(balancer, "health_check");
  if (from == nullptr) return check;
  check.protocol = text_of(*from, "protocol");
  check.port = member<int32_t>(*from, "port", 0);
  check.path = text_of(*from, "path");
  check.check_interval_seconds = member<int64_t>(*from, "check_interval_seconds", 0);
  check.response_timeout_seconds = member<int64_t>(*from, "response_timeout_seconds", 0);
  check.healthy_threshold = member<int64_t>(*from, "healthy_threshold", 0);
  check.unhealthy_threshold = member<int64_t>(*from, "unhealthy_threshold", 0);
  check.proxy_protocol = optional<bool>(*from, "proxy_protocol");
  return check;
}

StickySessions read_sticky(const json& balancer) {
  StickySessions sticky;
  const json* from = object_member(balancer, "sticky_sessions");
  if (from == nullptr) return sticky;
  sticky.type = member<std::string>(*from, "type", "none");
  sticky.cookie_name = text_of(*from, "cookie_name");
  sticky.cookie_ttl_seconds = member<int64_t>(*from, "cookie_ttl_seconds", 0);
  return sticky;
}

std::vector<std::string> sorted_texts(const json& object, const char* name) {
  auto list = member<std::vector<std::string>>(object, name, {});
  std::sort(list.begin(), list.end());
  return list;
}

ExistingLoadBalancer read_members(const json& from) {
  ExistingLoadBalancer balancer;
  balancer.id = text_of(from, "id");
  balancer.name = text_of(from, "name");
  balancer.status = text_of(from, "status");
  balancer.created_at = text_of(from, "created_at");
  balancer.ip = text_of(from, "ip");
  balancer.ipv6 = text_of(from, "ipv6");
  balancer.type = member<std::string>(from, "type", std::string(kRegional));
  balancer.network = member<std::string>(from, "network", std::string(kExternal));
  balancer.network_stack = text_of(from, "network_stack");
  if (const json* region = object_member(from, "region"))
    balancer.region = text_of(*region, "slug");
  balancer.forwarding_rules = read_rules(from);
  balancer.health_check = read_health_check(from);
  balancer.sticky_sessions = read_sticky(from);
  for (const json& id : member<json::array_t>(from, "droplet_ids", {})) {
    balancer.droplet_ids.push_back(value_as<int64_t>(id));
  }
  std::sort(balancer.droplet_ids.begin(), balancer.droplet_ids.end());
  balancer.target_tag = text_of(from, "tag");
  balancer.size = optional<std::string>(from, "size");
  balancer.size_unit = optional<int64_t>(from, "size_unit");
  balancer.http_idle_timeout_seconds = optional<uint64_t>(from, "http_idle_timeout_seconds");
  balancer.redirect_http_to_https = member(from, "redirect_http_to_https", false);
  balancer.enable_proxy_protocol = member(from, "enable_proxy_protocol", false);
  balancer.enable_backend_keepalive = member(from, "enable_backend_keepalive", false);
  balancer.disable_lets_encrypt_dns_records =
      member(from, "disable_lets_encrypt_dns_records", false);
  if (const json* firewall = object_member(from, "firewall")) {
    balancer.allow = sorted_texts(*firewall, "allow");
    balancer.deny = sorted_texts(*firewall, "deny");
  }
  balancer.tags = optional<std::vector<std::string>>(from, "tags");
  balancer.json = from.dump();
  return balancer;
}

Result<ExistingLoadBalancer> read_load_balancer(const json& from) {
  if (!from.is_object()) return bad_answer("has a load balancer that is no object");
  ExistingLoadBalancer balancer = read_members(from);
  if (balancer.id.empty()) return bad_answer("has a load balancer without an id");
  return balancer;
}

Result<LoadBalancerPage> read_load_balancers(const json& document) {
  const auto list = document.find("load_balancers");
  if (list == document.end() || !list->is_array()) {
    return bad_answer("has no list \"load_balancers\"");
  }
  LoadBalancerPage page;
  for (const json& item : *list) {
    auto balancer = read_load_balancer(item);
    if (!balancer.ok()) return balancer.status();
    page.load_balancers.push_back(*std::move(balancer));
  }
  const json* meta = object_member(document, "meta");
  if (meta == nullptr || !meta->contains("total")) {
    return bad_answer("does not say how many load balancers there are");
  }
  page.total = value_as<int64_t>(meta->at("total"));
  return page;
}

Result<ExistingLoadBalancer> read_single_load_balancer(const json& document) {
  const auto item = document.find("load_balancer");
  if (item == document.end()) return bad_answer("has no load balancer");
  return read_load_balancer(*item);
}

}  // namespace

std::string ExistingLoadBalancer::certificate_id() const {
  for (const ForwardingRule& rule : forwarding_rules) {
    if (!rule.certificate_id.empty()) return rule.certificate_id;
  }
  return {};
}

bool ExistingLoadBalancer::has_tag(std::string_view tag) const {
  return tags && std::find(tags->begin(), tags->end(), tag) != tags->end();
}

Result<LoadBalancerPage> parse_load_balancers(std::string_view json_text) {
  return read_answer(json_text, &read_load_balancers);
}

Result<ExistingLoadBalancer> parse_load_balancer(std::string_view json_text) {
  return read_answer(json_text, &read_single_load_balancer);
}

}  // namespace ccm::digitalocean
