#include "election/json_fields.hpp"

namespace ccm::election {

using nlohmann::json;

json parse_bounded(std::string_view text) {
  constexpr int kMaxDepth = 64;
  return json::parse(
      text, [](int depth, json::parse_event_t, const json&) { return depth < kMaxDepth; }, false);
}

std::string text_member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string resource_version_of(const json& object) {
  if (!object.is_object()) return {};
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return {};
  return text_member(*metadata, "resourceVersion");
}

}  // namespace ccm::election
