#include "features.hpp"

#include "openstack/json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// Numbers are compared: "v2.9" is older than "v2.10".
Result<int> newest_minor(const json& document) {
  int newest = -1;
  for (const json& version : document.at("versions")) {
    const std::string id = text_of(version, "id");
    if (!id.starts_with("v2.")) continue;
    int minor = 0;
    const char* end = id.data() + id.size();
    const auto [stop, fault] = std::from_chars(id.data() + 3, end, minor);
    if (fault == std::errc() && stop == end) newest = std::max(newest, minor);
  }
  if (newest < 0) return bad_answer("names no version 2 of Octavia's API");
  return newest;
}

}  // namespace

Result<int> parse_octavia_version(std::string_view json_text) {
  return read_answer(json_text, &newest_minor);
}

Features features_of(int minor, const std::string& provider) {
  const bool ovn = provider == "ovn";
  Features features;
  features.tags = minor >= 5;
  features.timeouts = minor >= 1 && !ovn;
  features.flavors = minor >= 6 && !ovn;
  features.allowed_cidrs = minor >= 12 && !ovn;
  features.availability_zones = minor >= 14 && !ovn;
  features.http_monitor = !ovn;
  features.http_monitor_of_udp = minor >= 16 && !ovn;
  features.http = !ovn;
  features.methods = !ovn;
  features.additional_vips = minor >= 26 && !ovn;
  return features;
}

}  // namespace ccm::openstack
