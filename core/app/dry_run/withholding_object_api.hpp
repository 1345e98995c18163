// A component's Kubernetes calls in a dry run: reads go to the API server, writes into the plan.
#pragma once

#include "app/dry_run/plan.hpp"
#include "app/dry_run/planned_objects.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "runtime/event_loop.hpp"

#include <memory>
#include <string>

namespace ccm::app {

// `controller`: the component's name. A write succeeds with the object as it would be, so that the
// reconcile goes on. Lists show the cluster as it is. `objects`, `plan` and `loop` must outlive the
// result.
std::shared_ptr<plugin::ObjectApi> withhold_writes(std::shared_ptr<plugin::ObjectApi> reads,
                                                   std::string controller, PlannedObjects& objects,
                                                   Plan& plan, runtime::EventLoop& loop);

}  // namespace ccm::app
