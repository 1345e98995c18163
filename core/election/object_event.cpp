#include "election/object_event.hpp"

#include "election/json_fields.hpp"

namespace ccm::election {

Result<ObjectEvent<std::string>> parse_event(std::string_view text, std::string_view kind) {
  const nlohmann::json event = parse_bounded(text);
  const auto object = event.is_object() ? event.find("object") : event.end();
  if (!event.is_object() || object == event.end() || !object->is_object()) {
    return Status(Code::data_loss, "the watch on the " + std::string(kind) + " sent no event");
  }
  ObjectEvent<std::string> result;
  const std::string type = text_member(event, "type");
  if (type == "ERROR") {
    result.failure = object->dump();
  } else if (type == "ADDED" || type == "MODIFIED") {
    result.object = object->dump();
  } else if (type != "DELETED") {
    return Status(Code::data_loss,
                  "the watch on the " + std::string(kind) + " sent an event of type " + type);
  }
  return result;
}

}  // namespace ccm::election
