#include "sync.hpp"

namespace ccm::service {

bool Sync::exists() const {
  return record->applied() || !service.ingress.empty() ||
         !service.annotation(options.id_annotation).empty();
}

std::string Sync::no_members() const {
  if (!backends) return {};
  return backends->backends.empty() ? backends->why_none() : record->no_members;
}

ServicePatch Sync::annotations() const {
  ServicePatch patch;
  if (!record->id.empty()) patch.annotate(service, options.id_annotation, record->id);
  for (const Label& annotation : record->annotations) {
    patch.annotate(service, annotation.key, annotation.value);
  }
  return patch;
}

// Our own last write must not look like a change of the Service, and a change by somebody else that
// its answer shows has not been sent to the cloud.
uint64_t Sync::request_hash() const {
  if (intent.uid.empty()) return hash;
  LoadBalancerService request = intent;
  if (request.adopt_id == record->id) request.adopt_id.clear();
  return intent_hash(request, requested, options, record->annotations);
}

}  // namespace ccm::service
