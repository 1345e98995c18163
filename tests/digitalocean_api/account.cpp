#include "account.hpp"

#include <algorithm>

namespace ccm::digitalocean_api {
namespace {

json address(const std::string& ip, const std::string& type) {
  json entry = {{"ip_address", ip}, {"netmask", "255.255.0.0"}, {"type", type}};
  entry["gateway"] = type == "private" ? "10.0.0.1" : "203.0.0.1";
  return entry;
}

}  // namespace

json& Account::add_droplet(int64_t id, const std::string& name, bool gpu) {
  const std::string tail = std::to_string(id / 65536 % 256) + "." + std::to_string(id / 256 % 256) +
                           "." + std::to_string(id % 256);
  json& droplet = droplets_[id];
  droplet = {
      {"id", id},
      {"name", name},
      {"memory", 2048},
      {"vcpus", 1},
      {"disk", 50},
      {"locked", false},
      {"status", "active"},
      {"created_at", "2026-01-01T00:00:00Z"},
      {"features", json::array({"private_networking"})},
      {"backup_ids", json::array()},
      {"next_backup_window", nullptr},
      {"snapshot_ids", json::array()},
      {"image", {{"id", 1}, {"name", "12 x64"}, {"distribution", "Debian"}}},
      {"volume_ids", json::array()},
      {"size",
       {{"slug", gpu ? "gpu-h100x1-80gb" : "s-1vcpu-2gb"},
        {"memory", 2048},
        {"vcpus", 1},
        {"disk", 50},
        {"transfer", 2.0},
        {"price_monthly", 12.0},
        {"price_hourly", 0.018},
        {"regions", json::array({region})},
        {"available", true},
        {"description", "Basic"}}},
      {"size_slug", gpu ? "gpu-h100x1-80gb" : "s-1vcpu-2gb"},
      {"networks",
       {{"v4", json::array({address("10." + tail, "private"), address("203." + tail, "public")})},
        {"v6", json::array()}}},
      {"region",
       {{"slug", region},
        {"name", "Region " + region},
        {"features", json::array()},
        {"available", true},
        {"sizes", json::array({"s-1vcpu-2gb"})}}},
      {"tags", json::array()},
      {"vpc_uuid", vpc}};
  return droplet;
}

void Account::generate_droplets(int64_t first, int64_t count, const std::string& prefix) {
  for (int64_t id = first; id < first + count; ++id) {
    add_droplet(id, prefix + std::to_string(id - first));
  }
}

json& Account::add_certificate(const std::string& id, const std::string& name,
                               const std::string& type) {
  json& certificate = certificates_[id];
  certificate = {{"id", id},
                 {"name", name},
                 {"type", type},
                 {"state", "verified"},
                 {"not_after", "2030-01-01T00:00:00Z"},
                 {"created_at", "2026-01-01T00:00:00Z"},
                 {"sha1_fingerprint", "dfcc9f57d86bf58e321c2c6c31c7a971be244ac7"},
                 {"dns_names", json::array({"example.com"})}};
  return certificate;
}

void Account::write_load_balancer(const json& body, json& balancer) {
  const auto take = [&](const char* name, json fallback) {
    balancer[name] = body.contains(name) ? body[name] : std::move(fallback);
  };
  take("name", "");
  take("algorithm", "round_robin");
  take("size_unit", 1);
  take("size", "lb-small");
  take("type", "REGIONAL");
  take("network", "EXTERNAL");
  take("network_stack", "IPV4");
  take("redirect_http_to_https", false);
  take("enable_proxy_protocol", false);
  take("enable_backend_keepalive", false);
  take("disable_lets_encrypt_dns_records", false);
  take("http_idle_timeout_seconds", 60);
  take("tls_cipher_policy", "DEFAULT");
  take("project_id", "9cc10173-e9ea-4176-9dbc-a4cee4c4ff30");
  take("vpc_uuid", vpc);
  take("droplet_ids", json::array());
  take("tag", "");
  // Only when it is made, as the API's own client says.
  if (!balancer.contains("tags")) balancer["tags"] = body.value("tags", json::array());
  for (const json& tag : balancer["tags"]) tags_[tag.get<std::string>()];
  balancer["forwarding_rules"] = body["forwarding_rules"];
  for (json& rule : balancer["forwarding_rules"]) {
    if (!rule.contains("certificate_id")) rule["certificate_id"] = "";
    if (!rule.contains("tls_passthrough")) rule["tls_passthrough"] = false;
  }
  balancer["health_check"] = {{"protocol", "http"},
                              {"port", 80},
                              {"path", "/"},
                              {"check_interval_seconds", 10},
                              {"response_timeout_seconds", 5},
                              {"unhealthy_threshold", 5},
                              {"healthy_threshold", 3}};
  if (body.contains("health_check")) balancer["health_check"].update(body["health_check"]);
  take("sticky_sessions", {{"type", "none"}});
  balancer["firewall"] = {{"allow", json::array()}, {"deny", json::array()}};
  if (body.contains("firewall")) balancer["firewall"].update(body["firewall"]);
}

json& Account::add_load_balancer(json members) {
  json body = {{"forwarding_rules", json::array({{{"entry_protocol", "tcp"},
                                                  {"entry_port", 80},
                                                  {"target_protocol", "tcp"},
                                                  {"target_port", 80}}})}};
  body.update(members);
  const std::string id = members.value("id", uuid());
  json& balancer = load_balancers_[id];
  write_load_balancer(body, balancer);
  balancer["id"] = id;
  balancer["status"] = members.value("status", "active");
  balancer["ip"] =
      members.value("ip", "198.51.100." + std::to_string(load_balancers_.size() % 250));
  balancer["ipv6"] = members.value("ipv6", "");
  balancer["created_at"] = "2026-01-01T00:00:00Z";
  balancer["region"] = {{"slug", members.value("region", region)},
                        {"name", "Region " + region},
                        {"features", json::array()},
                        {"available", true},
                        {"sizes", json::array({"s-1vcpu-2gb"})}};
  return balancer;
}

json& Account::begin_load_balancer(json members) {
  json& balancer = add_load_balancer(std::move(members));
  active_at_[balancer["id"].get<std::string>()] = time() + activation_delay;
  return balancer;
}

// Behind a tag the droplets are those that bear it.
void Account::follow_tag(json& balancer) {
  const std::string tag = balancer.value("tag", "");
  if (tag.empty()) return;
  json ids = json::array();
  for (const auto& [id, droplet] : droplets_) {
    const json& tags = droplet.at("tags");
    if (std::find(tags.begin(), tags.end(), json(tag)) != tags.end()) ids.push_back(id);
  }
  balancer["droplet_ids"] = std::move(ids);
}

void Account::advance() {
  for (auto& [id, balancer] : load_balancers_) advance(balancer);
}

void Account::advance(json& balancer) {
  follow_tag(balancer);
  const auto due = active_at_.find(balancer["id"].get<std::string>());
  if (due == active_at_.end() || time() < due->second) return;
  active_at_.erase(due);
  if (load_balancers_fail) {
    balancer["status"] = "errored";
    return;
  }
  balancer["status"] = "active";
  if (balancer["ip"] == "") {
    balancer["ip"] = "198.51.100." + std::to_string(1 + made_ % 250);
  }
  if (balancer["network_stack"] == "DUALSTACK") {
    balancer["ipv6"] = "2001:db8::" + std::to_string(1 + made_ % 250);
  }
}

std::string Account::uuid() {
  const std::string digits = std::to_string(++made_);
  return "00000000-0000-4000-8000-" + std::string(12 - std::min<size_t>(digits.size(), 12), '0') +
         digits;
}

}  // namespace ccm::digitalocean_api
