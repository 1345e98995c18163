#include "retention.hpp"

#include "booleans.hpp"
#include "names.hpp"

#include <ccm/namespace_rules.hpp>

#include <string>

namespace ccm::service {

Status Retention::reason(const ServiceState& service) {
  const std::string value(service.annotation(kRetainAnnotation));
  const std::string annotation = "the annotation " + std::string(kRetainAnnotation);
  if (says_true(value)) {
    return {Code::implemented_elsewhere, annotation + " asks for it"};
  }
  return {Code::implemented_elsewhere, ErrorClass::invalid_spec,
          annotation + " is \"" + value + "\", which is neither true nor false"};
}

// An unreadable value keeps it, too: a deletion by mistake could not be undone.
bool Retention::asks_to_retain(const ServiceState& service) {
  const auto place = service.annotations.find(kRetainAnnotation);
  return place != service.annotations.end() && !says_false(place->second);
}

bool Retention::retains(const Sync& sync) const {
  if (!asks_to_retain(sync.service)) return false;
  if (may_retain_load_balancers(host_.config, sync.service.namespace_name)) return true;
  report_refused(sync);
  return false;
}

// Once: while there is time to copy what the user wants to keep.
void Retention::report_refused(const Sync& sync) const {
  if (!asks_to_retain(sync.service) || sync.record->reported_retention ||
      may_retain_load_balancers(host_.config, sync.service.namespace_name)) {
    return;
  }
  sync.record->reported_retention = true;
  events_.warning(sync.object, kRetentionRefused,
                  "The annotation " + std::string(kRetainAnnotation) +
                      " does not count in the namespace " + sync.service.namespace_name + " (--" +
                      kRetentionFlag + "): the load balancer goes with its Service");
}

}  // namespace ccm::service
