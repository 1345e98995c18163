// ccm.host.kube/1 over the Kubernetes client and the shared caches.
#pragma once

#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/kube_access.hpp"

#include <ccm/abi/kube.h>

#include <functional>
#include <memory>
#include <string>

namespace ccm::plugin {

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

  const ObjectCache& cache_;
  const std::shared_ptr<ObjectApi> api_;
  const std::function<bool()> may_write_;
  const std::string field_manager_;
};

}  // namespace ccm::plugin
