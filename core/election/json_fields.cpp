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

Result<ObjectEvent> parse_object_event(std::string_view text, std::string_view kind) {
  const json event = parse_bounded(text);
  const auto object = event.is_object() ? event.find("object") : event.end();
  if (!event.is_object() || object == event.end() || !object->is_object()) {
    return Status(Code::data_loss, "the watch on the " + std::string(kind) + " sent no event");
  }
  ObjectEvent result;
  const std::string type = text_member(event, "type");
  if (type == "ERROR") {
    result.failure = object->dump();
  } else if (type == "ADDED" || type == "MODIFIED") {
    result.object = *object;
  } else if (type != "DELETED") {
    return Status(Code::data_loss,
                  "the watch on the " + std::string(kind) + " sent an event of type " + type);
  }
  return result;
}

}  // namespace ccm::election
