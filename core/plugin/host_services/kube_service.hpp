// ccm.host.kube/1 over the Kubernetes client and the shared caches, ccm.host.object/1 over
// kube::Object, and the handles of objects that cross.
#pragma once

#include "kube/object.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/kube_access.hpp"

#include <ccm/abi/kube.h>
#include <ccm/abi/object.h>
#include <ccm/scope.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

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

// ccm.host.kube/1 over the Kubernetes client and the shared caches.
class KubeService final : public HostService {
 public:
  // `may_write` is asked on the loop immediately before each write is handed to the client: false
  // on a host that does not lead (any more). `api` has the component's identity.
  KubeService(const std::shared_ptr<LiveComponent>& component, const ObjectCache& cache,
              std::shared_ptr<ObjectApi> api, std::function<bool()> may_write);

 private:
  static int32_t cached(void* self, const ccm_kube_reference* reference,
                        const ccm_object** out) noexcept;
  static int32_t cached_each(void* self, const ccm_kube_cached_request* request,
                             ccm_visit_object_fn visit, void* owner) noexcept;
  static void get(void* self, ccm_ctx ctx, const ccm_kube_get_request* request,
                  ccm_completion done) noexcept;
  static void list(void* self, ccm_ctx ctx, const ccm_kube_list_request* request,
                   ccm_completion done) noexcept;
  static void patch(void* self, ccm_ctx ctx, const ccm_kube_patch_request* request,
                    ccm_completion done) noexcept;
  static void create(void* self, ccm_ctx ctx, const ccm_kube_create_request* request,
                     ccm_completion done) noexcept;
  static void remove(void* self, ccm_ctx ctx, const ccm_kube_delete_request* request,
                     ccm_completion done) noexcept;
  static const ccm_host_kube kTable;

  // How the API server's answer ends the operation.
  using Ending = std::function<ObjectApi::Done(const HostOperation::Ptr&)>;
  // Sends the write, if this host may write then.
  void write(ccm_ctx ctx, ccm_completion done, std::string_view name, Status wrong,
             ObjectRequest request, Ending ending) const;

  const ObjectCache& cache_;
  const std::shared_ptr<ObjectApi> api_;
  const std::function<bool()> may_write_;
  const std::string field_manager_;
  Scope listings_;  // last: its coroutines use the others
};

}  // namespace ccm::plugin
