#include "plugin/host_services/object_service.hpp"

#include "plugin/live_component.hpp"

namespace ccm::plugin {

using kube::Object;

namespace {

// ccm_value's kinds are Object's kinds.
static_assert(static_cast<int>(Object::Kind::absent) == CCM_VALUE_ABSENT);
static_assert(static_cast<int>(Object::Kind::null) == CCM_VALUE_NULL);
static_assert(static_cast<int>(Object::Kind::boolean) == CCM_VALUE_BOOLEAN);
static_assert(static_cast<int>(Object::Kind::number) == CCM_VALUE_NUMBER);
static_assert(static_cast<int>(Object::Kind::string) == CCM_VALUE_STRING);
static_assert(static_cast<int>(Object::Kind::array) == CCM_VALUE_ARRAY);
static_assert(static_cast<int>(Object::Kind::object) == CCM_VALUE_OBJECT);

ccm_value value_at(const ccm_object* object, Object::Position position) {
  if (position == Object::kAbsent) return {nullptr, 0};
  return {object, position};
}

}  // namespace

void ObjectService::retain_object(void*, const ccm_object* object) noexcept {
  if (object != nullptr) intrusive_ptr_add_ref(object_of(object));
}

void ObjectService::release_object(void*, const ccm_object* object) noexcept {
  if (object != nullptr) intrusive_ptr_release(object_of(object));
}

ccm_value ObjectService::find(void*, const ccm_object* object, ccm_str pointer) noexcept {
  if (object == nullptr) return {nullptr, 0};
  return value_at(object, object_of(object)->find(view(pointer)));
}

ccm_value ObjectService::find_in(void*, ccm_value from, ccm_str pointer) noexcept {
  if (from.object == nullptr) return {nullptr, 0};
  return value_at(from.object, object_of(from.object)->find(from.position, view(pointer)));
}

int32_t ObjectService::kind(void*, ccm_value value) noexcept {
  if (value.object == nullptr) return CCM_VALUE_ABSENT;
  return static_cast<int32_t>(object_of(value.object)->kind(value.position));
}

ccm_bool ObjectService::text(void*, ccm_value value, ccm_str* out) noexcept {
  if (value.object == nullptr || out == nullptr) return 0;
  const Object& object = *object_of(value.object);
  const Object::Kind kind = object.kind(value.position);
  if (kind != Object::Kind::string && kind != Object::Kind::number &&
      kind != Object::Kind::boolean) {
    return 0;
  }
  *out = c_str(object.text(value.position));
  return 1;
}

void ObjectService::each(void* self, ccm_value container, ccm_visit_fn visit,
                         void* owner) noexcept {
  if (container.object == nullptr || visit == nullptr) return;
  const auto component = static_cast<ObjectService*>(self)->component();
  const ComponentIdentity gone;
  const ComponentIdentity& identity = component ? component->identity() : gone;
  object_of(container.object)
      ->each(container.position, [&](std::string_view key, Object::Position position) -> bool {
        return guarded(identity, "object.each", [&] {
          return visit(owner, c_str(key), ccm_value{container.object, position}) != 0;
        });
      });
}

ccm_str ObjectService::json(void*, const ccm_object* object) noexcept {
  return object == nullptr ? ccm_str{nullptr, 0} : c_str(object_of(object)->borrowed_json());
}

ccm_bool ObjectService::equal(void*, ccm_value left, ccm_value right) noexcept {
  if (left.object == nullptr || right.object == nullptr) {
    return left.object == right.object ? 1 : 0;
  }
  const Object& other = *object_of(right.object);
  return object_of(left.object)->equal(left.position, other, right.position) ? 1 : 0;
}

const ccm_object* ObjectService::parse(void*, ccm_str json) noexcept {
  auto decoded = Object::decode(view(json));
  return decoded ? object_handle(decoded->detach()) : nullptr;
}

const ccm_host_object ObjectService::kTable{
    sizeof(kTable), 0,     &retain_object, &release_object, &find,  &find_in,
    &kind,          &text, &each,          &json,           &equal, &parse};

}  // namespace ccm::plugin
