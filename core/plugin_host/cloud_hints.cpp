#include "plugin_host/cloud_hints.hpp"

#include <ccm/abi/hint.h>
#include <ccm/object.hpp>

#include <string>
#include <string_view>

namespace ccm::plugin {

namespace {

// Every text that the hint names has to fit; one of them at least is there.
bool is_node(const CloudHint& hint, const kube::Object& node, const InstancesBroker* instances) {
  if (!hint.name.empty() && node.name() == hint.name) return true;
  const std::string_view id = node.text_at("/spec/providerID");
  if (hint.provider_id.empty() || id.empty()) return false;
  if (id == hint.provider_id) return true;
  return instances != nullptr &&
         instances->own_id(std::string(id)) == instances->own_id(hint.provider_id);
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
                             const std::string& id_annotation, const InstancesBroker* instances) {
  HintedObjects found;
  const bool instance = hint.kind == CCM_HINT_INSTANCE;
  if (!instance) found.resource = "v1/services";
  const std::string id_field = "/metadata/annotations" + pointer_segment(id_annotation);
  for (auto& object : cache.list(found.resource, "")) {
    const bool fits =
        instance ? is_node(hint, *object, instances) : is_service(hint, *object, id_field);
    if (fits) found.objects.push_back(std::move(object));
  }
  return found;
}

}  // namespace ccm::plugin
