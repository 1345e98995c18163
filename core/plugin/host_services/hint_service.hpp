// ccm.host.hint/1: what a provider's cloud pushes.
#pragma once

#include "kube/object.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/kube_access.hpp"

#include <ccm/abi/hint.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

// A ccm_hint, copied.
struct CloudHint {
  int32_t kind = 0;  // CCM_HINT_*
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string provider_id;
  std::string id;
};

// Loop thread.
using TakeHint = std::function<void(const CloudHint&)>;

class HintService final : public HostService {
 public:
  HintService(const std::shared_ptr<LiveComponent>& component, TakeHint take)
      : HostService(component, CCM_HOST_HINT, &kTable), take_(std::move(take)) {}

 private:
  static void changed(void* self, const ccm_hint* hint) noexcept;
  static const ccm_host_hint kTable;

  const TakeHint take_;
};

// Finds the objects of the cache that a provider's hint is about. Loop thread.
struct HintedObjects {
  const char* resource = "v1/nodes";
  std::vector<kube::ObjectPtr> objects;
};

// The Nodes or Services of a hint; none when the cache has none. `id_annotation` is where Services
// record the id of their load balancer.
HintedObjects hinted_objects(const CloudHint& hint, const ObjectCache& cache,
                             const std::string& id_annotation);

}  // namespace ccm::plugin
