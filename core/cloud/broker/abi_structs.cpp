#include "cloud/broker/abi_structs.hpp"

#include "plugin/host_services/kube_service.hpp"

namespace ccm::cloud {

ObjectHost kept_objects() {
  static const ccm_host_object table = [] {
    ccm_host_object slots{};
    slots.size = sizeof(slots);
    slots.retain = [](void*, const ccm_object* object) {
      intrusive_ptr_add_ref(plugin::object_of(object));
    };
    slots.release = [](void*, const ccm_object* object) {
      intrusive_ptr_release(plugin::object_of(object));
    };
    return slots;
  }();
  return ObjectHost(&table, nullptr);
}

}  // namespace ccm::cloud
