#include "api.hpp"

#include <algorithm>
#include <cctype>

namespace ccm::digitalocean_api {
namespace {

// The name filter does not mind case (DO-73).
bool same_name(const std::string& a, const std::string& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) ==
                  std::tolower(static_cast<unsigned char>(y));
         });
}

json address(const std::string& ip, const std::string& type) {
  json entry = {{"ip_address", ip}, {"netmask", "255.255.0.0"}, {"type", type}};
  entry["gateway"] = type == "private" ? "10.0.0.1" : "203.0.0.1";
  return entry;
}

}  // namespace

json& Api::add_droplet(int64_t id, const std::string& name, bool gpu) {
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

void Api::generate_droplets(int64_t first, int64_t count, const std::string& prefix) {
  for (int64_t id = first; id < first + count; ++id) {
    add_droplet(id, prefix + std::to_string(id - first));
  }
}

ApiAnswer Api::droplets(const std::string& method, const Route& route) {
  if (method != "GET") return error(404, "no such resource");
  if (route.parts.size() == 3) {
    const auto place = droplets_.find(std::stoll(route.parts[2]));
    if (place == droplets_.end())
      return error(404, "The resource you requested could not be found.");
    return ok(200, {{"droplet", place->second}});
  }
  const auto name = route.query.find("name");
  const auto tag = route.query.find("tag_name");
  const auto type = route.query.find("type");
  if (tag != route.query.end() && (name != route.query.end() || type != route.query.end())) {
    return error(422, "tag_name excludes name and type");
  }
  const bool gpus = type != route.query.end() && type->second == "gpus";
  if (type != route.query.end() && !gpus && type->second != "droplets") {
    return error(422, "type must be droplets or gpus");
  }
  std::vector<const json*> items;
  for (const auto& [id, droplet] : droplets_) {
    const bool gpu = droplet.at("size_slug").get<std::string>().starts_with("gpu-");
    if (gpu != gpus) continue;
    if (name != route.query.end() && !same_name(droplet.at("name"), name->second)) continue;
    if (tag != route.query.end()) {
      const json& tags = droplet.at("tags");
      if (std::find(tags.begin(), tags.end(), json(tag->second)) == tags.end()) continue;
    }
    items.push_back(&droplet);
  }
  return page("droplets", items, route);
}

json& Api::add_certificate(const std::string& id, const std::string& name,
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

}  // namespace ccm::digitalocean_api
