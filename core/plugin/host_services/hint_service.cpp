#include "plugin/host_services/hint_service.hpp"

namespace ccm::plugin {

void HintService::changed(void* self, const ccm_hint* given) noexcept {
  const auto& service = *static_cast<HintService*>(self);
  const auto component = service.component();
  if (!component || given == nullptr) return;
  const ccm_hint hint = known(given);
  if (hint.kind != CCM_HINT_INSTANCE && hint.kind != CCM_HINT_LOAD_BALANCER) return;
  CloudHint copy{hint.kind,
                 std::string(view(hint.name)),
                 std::string(view(hint.namespace_)),
                 std::string(view(hint.uid)),
                 std::string(view(hint.provider_id)),
                 std::string(view(hint.id))};
  component->runtime().loop.post(
      [take = service.take_, component, copy = std::move(copy)] { take(copy); });
}

const ccm_host_hint HintService::kTable{sizeof(kTable), 0, &changed};

}  // namespace ccm::plugin
