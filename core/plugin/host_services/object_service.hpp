// ccm.host.object/1 over kube::Object; and the handles that cross.
#pragma once

#include "kube/object.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/object.h>

namespace ccm::plugin {

// A ccm_object is a kube::Object; its reference count is the handle's.
inline const ccm_object* object_handle(const kube::Object* object) {
  return reinterpret_cast<const ccm_object*>(object);
}
inline const ccm_object* object_handle(const kube::ObjectPtr& object) {
  return object_handle(object.get());
}
inline const kube::Object* object_of(const ccm_object* handle) {
  return reinterpret_cast<const kube::Object*>(handle);
}

class ObjectService final : public HostService {
 public:
  explicit ObjectService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_OBJECT, &kTable) {}

 private:
  static void retain_object(void* self, const ccm_object* object) noexcept;
  static void release_object(void* self, const ccm_object* object) noexcept;
  static ccm_value find(void* self, const ccm_object* object, ccm_str pointer) noexcept;
  static ccm_value find_in(void* self, ccm_value from, ccm_str pointer) noexcept;
  static int32_t kind(void* self, ccm_value value) noexcept;
  static ccm_bool text(void* self, ccm_value value, ccm_str* out) noexcept;
  static void each(void* self, ccm_value container, ccm_visit_fn visit, void* owner) noexcept;
  static ccm_str json(void* self, const ccm_object* object) noexcept;
  static ccm_bool equal(void* self, ccm_value left, ccm_value right) noexcept;
  static const ccm_object* parse(void* self, ccm_str json) noexcept;
  static const ccm_host_object kTable;
};

}  // namespace ccm::plugin
