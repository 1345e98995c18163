#include "droplet.hpp"

#include "json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ccm::digitalocean {
namespace {

using nlohmann::json;

// All other members are dropped while parsing: a page of 200 whole droplets is half a megabyte
// of sizes and images (DO-54).
constexpr std::array<std::string_view, 14> kKept = {
    "droplet", "droplets", "meta", "total", "id",   "name",       "status",
    "region",  "slug",     "v4",   "v6",    "type", "ip_address", "networks"};

bool keep(int, json::parse_event_t event, json& parsed) {
  if (event != json::parse_event_t::key) return true;
  const auto& key = parsed.get_ref<const std::string&>();
  return key == "size_slug" || std::find(kKept.begin(), kKept.end(), key) != kKept.end();
}

// Locked and migrating are not separate states: such a droplet exists (DO-68). An archived one does
// not run, so its Node counts as shut down.
InstanceState state_of(const std::string& status) {
  if (status == "active") return InstanceState::running;
  if (status == "new") return InstanceState::starting;
  if (status == "off" || status == "archive") return InstanceState::shutdown;
  return InstanceState::unknown;
}

// The first address of that kind (DO-78).
std::string address(const json& droplet, const char* family, const char* type) {
  const auto networks = droplet.find("networks");
  if (networks == droplet.end() || !networks->is_object()) return {};
  const auto list = networks->find(family);
  if (list == networks->end() || !list->is_array()) return {};
  for (const json& entry : *list) {
    if (entry.is_object() && text_of(entry, "type") == type) return text_of(entry, "ip_address");
  }
  return {};
}

std::vector<NodeAddress> addresses_of(const json& droplet, const std::string& name) {
  const std::string internal = address(droplet, "v4", "private");
  if (internal.empty()) return {};
  std::vector<NodeAddress> addresses;
  addresses.push_back({"Hostname", name});
  addresses.push_back({"InternalIP", internal});
  for (const char* family : {"v4", "v6"}) {
    std::string external = address(droplet, family, "public");
    if (!external.empty()) addresses.push_back({"ExternalIP", std::move(external)});
  }
  return addresses;
}

Result<Instance> read_droplet(const json& droplet) {
  if (!droplet.is_object()) return bad_answer("has a droplet that is no object");
  const auto id = droplet.find("id");
  if (id == droplet.end() || !id->is_number_integer() || id->get<int64_t>() < 1) {
    return bad_answer("has a droplet without an id");
  }
  Instance instance;
  instance.provider_id = std::string(kProviderIdPrefix) + std::to_string(id->get<int64_t>());
  instance.name = text_of(droplet, "name");
  instance.state = state_of(text_of(droplet, "status"));
  instance.instance_type = text_of(droplet, "size_slug");
  const auto region = droplet.find("region");
  if (region != droplet.end() && region->is_object()) instance.region = text_of(*region, "slug");
  instance.addresses = addresses_of(droplet, instance.name);
  return instance;
}

Result<DropletPage> read_droplets(const json& document) {
  const auto droplets = document.find("droplets");
  if (droplets == document.end() || !droplets->is_array()) {
    return bad_answer("has no list \"droplets\"");
  }
  DropletPage page;
  page.droplets.reserve(droplets->size());
  for (const json& droplet : *droplets) {
    auto instance = read_droplet(droplet);
    if (!instance.ok()) return instance.status();
    page.droplets.push_back(*std::move(instance));
  }
  const auto meta = document.find("meta");
  if (meta == document.end() || !meta->is_object() || !meta->contains("total")) {
    return bad_answer("does not say how many droplets there are");
  }
  page.total = value_as<int64_t>(meta->at("total"));
  return page;
}

Result<Instance> read_single_droplet(const json& document) {
  const auto droplet = document.find("droplet");
  if (droplet == document.end()) return bad_answer("has no droplet");
  return read_droplet(*droplet);
}

Status invalid_id(std::string message) {
  return Status(Code::invalid_argument, std::move(message)).with_reason("InvalidProviderID");
}

}  // namespace

Result<int64_t> droplet_id(std::string_view provider_id) {
  if (provider_id.empty()) return invalid_id("provider ID cannot be empty");
  const std::string whole(provider_id);
  if (!provider_id.starts_with(kProviderIdPrefix)) {
    return Status(Code::implemented_elsewhere, "provider ID \"" + whole +
                                                   "\" is missing prefix \"" +
                                                   std::string(kProviderIdPrefix) + "\"");
  }
  provider_id.remove_prefix(kProviderIdPrefix.size());
  if (provider_id.empty()) return invalid_id("provider ID number cannot be empty");
  int64_t number = 0;
  const char* end = provider_id.data() + provider_id.size();
  const auto [stop, fault] = std::from_chars(provider_id.data(), end, number);
  if (fault != std::errc() || stop != end) {
    return invalid_id("failed to convert provider ID number \"" + std::string(provider_id) + "\"");
  }
  if (number < 1) return invalid_id("dropletID is invalid because cannot be less than 1");
  return number;
}

Result<DropletPage> parse_droplets(std::string_view json_text) {
  return read_answer(json_text, &read_droplets, keep);
}

Result<Instance> parse_droplet(std::string_view json_text) {
  return read_answer(json_text, &read_single_droplet, keep);
}

}  // namespace ccm::digitalocean
