// clouds.yaml of the OpenStack provider (plugins/providers/openstack/config).
// Input: a byte that says which of the three files the rest is the text of.
// Properties: YAML that was read is a bounded tree; a refusal is one line with the file's name and
// shows no secret; what was taken has a URL.
#include "fuzz.hpp"
#include "openstack/config/clouds.hpp"
#include "yaml/yaml.hpp"

#include <string>

namespace ccm::fuzz {
namespace {

constexpr std::string_view kPassword = "Ki8Rarely-typed";
constexpr const char* kClouds =
    "clouds: {a: {profile: p, auth: {auth_url: u, password: Ki8Rarely-typed}}}";
constexpr const char* kPublic = "public-clouds: {p: {region_name: r}}";

std::size_t values_of(const nlohmann::json& value) {
  std::size_t count = 1;
  if (!value.is_structured()) return count;
  for (const auto& part : value) count += values_of(part);
  return count;
}

}  // namespace

void clouds_target(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string text(bytes.substr(1));
  const auto tree = parse_yaml(text);
  if (tree.ok()) {
    require(values_of(*tree) <= 10'000, "the tree is bounded");
  } else {
    require(tree.status().message().starts_with("line "), "a fault has its line");
  }
  openstack::CloudTexts texts{kClouds, "", kPublic};
  std::string* const files[] = {&texts.clouds, &texts.secure, &texts.clouds_public};
  *files[static_cast<unsigned char>(bytes.front()) % 3] = text;
  std::vector<std::string> warnings;
  openstack::GlobalSettings global;
  if ((static_cast<unsigned char>(bytes.front()) & 4) != 0) global.cloud = "a";
  const auto merged = openstack::with_cloud(global, texts, "", warnings);
  if (merged.ok()) {
    require(!merged->auth_url.empty(), "there is a URL");
    return;
  }
  const std::string message(merged.status().message());
  require(message.starts_with("clouds") || message.starts_with("secure.yaml"), "the file is named");
  const bool known_otherwise = text.find(kPassword) != text.npos;
  require(known_otherwise || message.find(kPassword) == message.npos,
          "no message shows a password");
}

}  // namespace ccm::fuzz
