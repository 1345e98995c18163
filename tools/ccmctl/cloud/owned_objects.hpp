// A provider's draft.ccm.cloud.owned/1: what it has made in the cloud. Loop thread.
#pragma once

#include "cloud/broker/provider_timeouts.hpp"
#include "plugin/live_component.hpp"

#include <ccm/abi/owned.h>
#include <ccm/owned.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <memory>
#include <vector>

namespace ccm::ctl {

class OwnedObjects {
 public:
  OwnedObjects(std::shared_ptr<plugin::LiveComponent> provider, ccm_interface interface);
  [[nodiscard]] bool usable() const { return table_.list != nullptr && table_.remove != nullptr; }

  // Each object with a mark of the cluster, or of none. Failures: the provider's; internal when its
  // answer makes no sense, one object named twice included.
  Task<Result<std::vector<OwnedObject>>> list(ClusterNames cluster);
  // Failures: the provider's, class waiting while the cloud works; failed_precondition, without a
  // call, for one whose mark names no cluster or that others use.
  Task<Status> remove(ClusterNames cluster, OwnedObject object);

 private:
  const std::shared_ptr<plugin::LiveComponent> provider_;
  void* const self_;
  const ccm_cloud_owned table_;
  const cloud::ProviderTimeouts timeouts_;
};

// A copy for LiveComponent::call. Failure: internal, the provider's answer makes no sense.
Result<std::vector<OwnedObject>> copy_owned_objects(const void* result);

}  // namespace ccm::ctl
