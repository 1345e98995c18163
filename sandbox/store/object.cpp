#include "store/object.hpp"

namespace sandbox {

ObjectPtr make_object(std::string key, Json value, Revision revision) {
  auto object = std::make_shared<Object>();
  object->key = std::move(key);
  object->revision = revision;
  value["metadata"]["resourceVersion"] = std::to_string(revision);
  object->value = std::move(value);
  object->bytes = object->value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return object;
}

const Json& member_or_null(const Json& object, const char* member) {
  static const Json& null = *new Json;
  if (!object.is_object()) return null;
  auto found = object.find(member);
  return found == object.end() ? null : *found;
}

const std::string& metadata_text(const Json& object, const char* member) {
  static const std::string& empty = *new std::string;
  const Json& value = member_or_null(member_or_null(object, "metadata"), member);
  const std::string* text = value.get_ptr<const std::string*>();
  return text == nullptr ? empty : *text;
}

}  // namespace sandbox
