#include "ccm/testing/fake_objects.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <mutex>
#include <stdexcept>

namespace ccm::testing {
namespace {

using Json = nlohmann::ordered_json;

struct StoredObject {
  std::atomic<uint32_t> references{1};
  Json document;
  std::string text;
  std::mutex mutex;
  std::map<const Json*, std::string> rendered;  // of booleans and numbers
};

StoredObject* stored(const ccm_object* handle) {
  return const_cast<StoredObject*>(reinterpret_cast<const StoredObject*>(handle));
}
const Json* at(ccm_value value) { return reinterpret_cast<const Json*>(value.position); }
ccm_value value_of(const ccm_object* object, const Json* place) {
  if (place == nullptr) return {nullptr, 0};
  return {object, reinterpret_cast<uint64_t>(place)};
}

const Json* find(const Json& from, ccm_str pointer) {
  try {
    const Json::json_pointer place{std::string(view(pointer))};
    return from.contains(place) ? &from.at(place) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

}  // namespace

struct FakeObjects::Table {
  static FakeObjects& owner(void* self) { return *static_cast<FakeObjects*>(self); }

  static void retain(void*, const ccm_object* object) {
    if (object != nullptr) ++stored(object)->references;
  }
  static void release(void* self, const ccm_object* object) {
    if (object == nullptr || --stored(object)->references > 0) return;
    delete stored(object);
    --owner(self).live_;
  }
  static ccm_value find_root(void*, const ccm_object* object, ccm_str pointer) {
    if (object == nullptr) return {nullptr, 0};
    return value_of(object, find(stored(object)->document, pointer));
  }
  static ccm_value find_in(void*, ccm_value from, ccm_str pointer) {
    if (from.object == nullptr) return {nullptr, 0};
    return value_of(from.object, find(*at(from), pointer));
  }
  static int32_t kind(void*, ccm_value value) {
    if (value.object == nullptr) return CCM_VALUE_ABSENT;
    const Json& json = *at(value);
    if (json.is_null()) return CCM_VALUE_NULL;
    if (json.is_boolean()) return CCM_VALUE_BOOLEAN;
    if (json.is_number()) return CCM_VALUE_NUMBER;
    if (json.is_string()) return CCM_VALUE_STRING;
    return json.is_array() ? CCM_VALUE_ARRAY : CCM_VALUE_OBJECT;
  }
  static ccm_bool text(void*, ccm_value value, ccm_str* out) {
    if (value.object == nullptr) return 0;
    const Json& json = *at(value);
    if (json.is_string()) {
      *out = c_str(json.get_ref<const std::string&>());
      return 1;
    }
    if (!json.is_boolean() && !json.is_number()) return 0;
    StoredObject& object = *stored(value.object);
    const std::lock_guard lock(object.mutex);
    *out = c_str(object.rendered.try_emplace(&json, json.dump()).first->second);
    return 1;
  }
  static void each(void*, ccm_value container, ccm_visit_fn visit, void* visitor) {
    if (container.object == nullptr || !at(container)->is_structured()) return;
    for (const auto& [key, element] : at(container)->items()) {
      const std::string_view name = at(container)->is_object() ? std::string_view(key) : "";
      if (visit(visitor, c_str(name), value_of(container.object, &element)) == 0) return;
    }
  }
  static ccm_str json(void*, const ccm_object* object) {
    return object != nullptr ? c_str(stored(object)->text) : ccm_str{nullptr, 0};
  }
  static ccm_bool equal(void*, ccm_value left, ccm_value right) {
    if (left.object == nullptr || right.object == nullptr) return left.object == right.object;
    return *at(left) == *at(right);
  }
  static const ccm_object* parse(void* self, ccm_str json) {
    auto object = read(view(json));
    if (!object) return nullptr;
    ++owner(self).live_;
    return reinterpret_cast<const ccm_object*>(object.release());
  }
  // Null when it is no JSON.
  static std::unique_ptr<StoredObject> read(std::string_view json) {
    auto object = std::make_unique<StoredObject>();
    object->document = Json::parse(json, nullptr, false);
    if (object->document.is_discarded()) return nullptr;
    object->text = object->document.dump();
    return object;
  }
};

FakeObjects::FakeObjects() {
  table_ = sized<ccm_host_object>();
  table_.retain = &Table::retain;
  table_.release = &Table::release;
  table_.find = &Table::find_root;
  table_.find_in = &Table::find_in;
  table_.kind = &Table::kind;
  table_.text = &Table::text;
  table_.each = &Table::each;
  table_.json = &Table::json;
  table_.equal = &Table::equal;
  table_.parse = &Table::parse;
}

Object FakeObjects::make(std::string_view json) {
  Object object = Object::parse(service(), json);
  if (!object) throw std::invalid_argument("a test object is no JSON: " + std::string(json));
  return object;
}

}  // namespace ccm::testing
