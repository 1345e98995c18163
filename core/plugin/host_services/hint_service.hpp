// ccm.host.hint/1: what a provider's cloud pushes.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/hint.h>

#include <functional>
#include <string>
#include <utility>

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

}  // namespace ccm::plugin
