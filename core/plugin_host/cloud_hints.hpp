// Finds the objects of the cache that a provider's hint is about. Loop thread.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "kube/object.hpp"
#include "plugin/host_services/hint_service.hpp"
#include "plugin/host_services/kube_access.hpp"

#include <string>
#include <vector>

namespace ccm::plugin {

struct HintedObjects {
  const char* resource = "v1/nodes";
  std::vector<kube::ObjectPtr> objects;
};

// The Nodes or Services of a hint; none when the cache has none. `id_annotation` is where Services
// record the id of their load balancer; `instances`, which may be null, knows under which provider
// IDs Nodes may name an instance.
HintedObjects hinted_objects(const CloudHint& hint, const ObjectCache& cache,
                             const std::string& id_annotation, const InstancesBroker* instances);

}  // namespace ccm::plugin
