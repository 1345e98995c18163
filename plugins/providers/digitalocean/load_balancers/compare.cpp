#include "compare.hpp"

#include "digitalocean/json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ccm::digitalocean {
namespace {

using nlohmann::json;

bool same_rules(std::vector<ForwardingRule> a, std::vector<ForwardingRule> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

// 0 and an absent path leave it to the API; values that the API does not report are not compared.
bool same_check(const HealthCheck& wanted, const HealthCheck& existing) {
  const auto fits = [](int64_t want, int64_t is) { return want == 0 || want == is; };
  const auto path = [](const std::string& text) { return text.empty() ? "/" : text; };
  const bool has_path = wanted.protocol != "tcp";
  return wanted.protocol == existing.protocol && wanted.port == existing.port &&
         (!has_path || path(wanted.path) == path(existing.path)) &&
         fits(wanted.check_interval_seconds, existing.check_interval_seconds) &&
         fits(wanted.response_timeout_seconds, existing.response_timeout_seconds) &&
         fits(wanted.healthy_threshold, existing.healthy_threshold) &&
         fits(wanted.unhealthy_threshold, existing.unhealthy_threshold) &&
         (!wanted.proxy_protocol || !existing.proxy_protocol ||
          *wanted.proxy_protocol == *existing.proxy_protocol);
}

bool same_sticky(const StickySessions& wanted, const StickySessions& existing) {
  if (wanted.type != existing.type) return false;
  if (wanted.type == "none") return true;
  return wanted.cookie_name == existing.cookie_name &&
         (wanted.cookie_ttl_seconds == 0 ||
          wanted.cookie_ttl_seconds == existing.cookie_ttl_seconds);
}

json rules_json(const std::vector<ForwardingRule>& rules) {
  json list = json::array();
  for (const ForwardingRule& rule : rules) {
    json item = {{"entry_protocol", rule.entry_protocol},
                 {"entry_port", rule.entry_port},
                 {"target_protocol", rule.target_protocol},
                 {"target_port", rule.target_port}};
    if (!rule.certificate_id.empty()) item["certificate_id"] = rule.certificate_id;
    if (rule.tls_passthrough) item["tls_passthrough"] = true;
    list.push_back(std::move(item));
  }
  return list;
}

json check_json(const HealthCheck& check) {
  json body = {{"protocol", check.protocol}, {"port", check.port}};
  if (!check.path.empty()) body["path"] = check.path;
  const auto add = [&](const char* name, int64_t value) {
    if (value != 0) body[name] = value;  // DO-163
  };
  add("check_interval_seconds", check.check_interval_seconds);
  add("response_timeout_seconds", check.response_timeout_seconds);
  add("healthy_threshold", check.healthy_threshold);
  add("unhealthy_threshold", check.unhealthy_threshold);
  if (check.proxy_protocol) body["proxy_protocol"] = *check.proxy_protocol;
  return body;
}

json sticky_json(const StickySessions& sticky) {
  json body = {{"type", sticky.type}};
  if (sticky.type == "none") return body;
  body["cookie_name"] = sticky.cookie_name;
  if (sticky.cookie_ttl_seconds != 0) body["cookie_ttl_seconds"] = sticky.cookie_ttl_seconds;
  return body;
}

// An empty object clears earlier rules (DO-224).
json firewall_json(const WantedLoadBalancer& wanted) {
  json body = json::object();
  if (!wanted.allow.empty()) body["allow"] = wanted.allow;
  if (!wanted.deny.empty()) body["deny"] = wanted.deny;
  return body;
}

// The common part of a create and an update.
void put_managed(json& body, const WantedLoadBalancer& wanted) {
  body["name"] = wanted.name;
  body["type"] = wanted.type;
  body["network"] = wanted.network;
  body["network_stack"] = wanted.network_stack;
  body["forwarding_rules"] = rules_json(wanted.forwarding_rules);
  body["health_check"] = check_json(wanted.health_check);
  body["sticky_sessions"] = sticky_json(wanted.sticky_sessions);
  if (wanted.target_tag.empty()) {
    body["droplet_ids"] = wanted.droplet_ids;
  } else {
    body["tag"] = wanted.target_tag;  // one of the two (DO-338)
  }
  body["redirect_http_to_https"] = wanted.redirect_http_to_https;
  body["enable_proxy_protocol"] = wanted.enable_proxy_protocol;
  body["enable_backend_keepalive"] = wanted.enable_backend_keepalive;
  body["disable_lets_encrypt_dns_records"] = wanted.disable_lets_encrypt_dns_records;
  body["firewall"] = firewall_json(wanted);
  if (wanted.size) {
    body.erase("size_unit");
    body["size"] = *wanted.size;
  }
  if (wanted.size_unit) {
    body.erase("size");
    body["size_unit"] = *wanted.size_unit;
  }
  if (wanted.http_idle_timeout_seconds) {
    body["http_idle_timeout_seconds"] = *wanted.http_idle_timeout_seconds;
  }
  if (!wanted.subnet_uuid.empty()) body["subnet_uuid"] = wanted.subnet_uuid;
}

// The members of an answer that a request may have too.
json unmanaged(const ExistingLoadBalancer& existing) {
  const json from = read_own_json(existing.json);
  json body = json::object();
  for (const char* name : {"algorithm", "size", "size_unit", "http_idle_timeout_seconds",
                           "vpc_uuid", "subnet_uuid", "project_id", "tls_cipher_policy", "domains",
                           "glb_settings", "target_load_balancer_ids", "tags"}) {
    const auto place = from.find(name);
    if (place != from.end() && !place->is_null() && *place != "") body[name] = *place;
  }
  // Both stand in an answer; the slug is the older of the two and says less.
  if (body.contains("size_unit")) body.erase("size");
  return body;
}

}  // namespace

std::vector<std::string> differences(const WantedLoadBalancer& wanted,
                                     const ExistingLoadBalancer& existing) {
  std::vector<std::string> found;
  const auto note = [&](bool same, const char* what) {
    if (!same) found.emplace_back(what);
  };
  note(wanted.name == existing.name, "name");
  note(same_rules(wanted.forwarding_rules, existing.forwarding_rules), "forwarding rules");
  note(same_check(wanted.health_check, existing.health_check), "health check");
  note(same_sticky(wanted.sticky_sessions, existing.sticky_sessions), "sticky sessions");
  note(!wanted.size || wanted.size == existing.size, "size");
  note(!wanted.size_unit || wanted.size_unit == existing.size_unit, "size");
  note(wanted.redirect_http_to_https == existing.redirect_http_to_https, "redirect to HTTPS");
  note(wanted.enable_proxy_protocol == existing.enable_proxy_protocol, "PROXY protocol");
  note(wanted.enable_backend_keepalive == existing.enable_backend_keepalive, "backend keepalive");
  note(wanted.disable_lets_encrypt_dns_records == existing.disable_lets_encrypt_dns_records,
       "Let's Encrypt DNS records");
  note(!wanted.http_idle_timeout_seconds ||
           wanted.http_idle_timeout_seconds == existing.http_idle_timeout_seconds,
       "idle timeout");
  note(wanted.allow == existing.allow && wanted.deny == existing.deny, "firewall");
  note(wanted.target_tag == existing.target_tag, "target tag");
  // With a tag the API finds the droplets by the tag.
  note(!wanted.target_tag.empty() || wanted.droplet_ids == existing.droplet_ids, kBackendsDiffer);
  return found;
}

std::string create_body(const WantedLoadBalancer& wanted) {
  json body = json::object();
  put_managed(body, wanted);
  body["algorithm"] = wanted.algorithm;
  body["region"] = wanted.region;
  if (!wanted.vpc_uuid.empty()) body["vpc_uuid"] = wanted.vpc_uuid;
  if (!wanted.ip.empty()) body["ip"] = wanted.ip;
  for (const std::string& tag : {wanted.cluster_tag, wanted.mark}) {
    if (!tag.empty()) body["tags"].push_back(tag);
  }
  if (!wanted.mark.empty() && !wanted.named_mark.empty()) {
    body["tags"].push_back(wanted.named_mark);
  }
  return body.dump();
}

std::string update_body(const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing) {
  json body = unmanaged(existing);
  put_managed(body, wanted);
  body["region"] = existing.region.empty() ? wanted.region : existing.region;
  if (!body.contains("vpc_uuid") && !wanted.vpc_uuid.empty()) body["vpc_uuid"] = wanted.vpc_uuid;
  return body.dump();
}

TargetChange target_change(const std::vector<int64_t>& wanted,
                           const ExistingLoadBalancer& existing) {
  TargetChange change;
  const auto& is = existing.droplet_ids;
  std::set_difference(wanted.begin(), wanted.end(), is.begin(), is.end(),
                      std::back_inserter(change.added));
  std::set_difference(is.begin(), is.end(), wanted.begin(), wanted.end(),
                      std::back_inserter(change.removed));
  return change;
}

std::string droplets_body(const std::vector<int64_t>& droplet_ids) {
  return json{{"droplet_ids", droplet_ids}}.dump();
}

}  // namespace ccm::digitalocean
