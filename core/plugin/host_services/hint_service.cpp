#include "plugin/host_services/hint_service.hpp"

#include <ccm/abi/hint.h>
#include <ccm/object.hpp>

#include <string_view>

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

namespace {

// Every text that the hint names has to fit; one of them at least is there.
bool is_node(const CloudHint& hint, const kube::Object& node) {
  const bool by_name = !hint.name.empty() && node.name() == hint.name;
  const bool by_id =
      !hint.provider_id.empty() && node.text_at("/spec/providerID") == hint.provider_id;
  return by_name || by_id;
}

bool is_service(const CloudHint& hint, const kube::Object& service, const std::string& id_field) {
  if (!hint.uid.empty()) return service.uid() == hint.uid;
  if (!hint.name.empty()) {
    return service.name() == hint.name && service.namespace_name() == hint.namespace_name;
  }
  return !hint.id.empty() && service.text_at(id_field) == hint.id;
}

}  // namespace

HintedObjects hinted_objects(const CloudHint& hint, const ObjectCache& cache,
                             const std::string& id_annotation) {
  HintedObjects found;
  const bool instance = hint.kind == CCM_HINT_INSTANCE;
  if (!instance) found.resource = "v1/services";
  const std::string id_field = "/metadata/annotations" + pointer_segment(id_annotation);
  for (auto& object : cache.list(found.resource, "")) {
    const bool fits = instance ? is_node(hint, *object) : is_service(hint, *object, id_field);
    if (fits) found.objects.push_back(std::move(object));
  }
  return found;
}

}  // namespace ccm::plugin
