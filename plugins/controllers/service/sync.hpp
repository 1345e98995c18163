// One reconcile of one Service, as values. An attempt whose deadline has passed may still hold it.
// [serial]
#pragma once

#include "intent.hpp"
#include "members.hpp"
#include "patches.hpp"
#include "record.hpp"
#include "service_state.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/object.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace ccm::service {

struct Sync {
  std::string key;
  std::shared_ptr<Record> record;
  Object object;
  ServiceState service;  // after a write the answer, which may hold a change by somebody else
  IntentOptions options;
  LoadBalancerService intent;
  // The state that `intent` was made from, with the annotations that were written since.
  ServiceState requested;
  Members::Set backends;
  uint64_t hash = 0;

  // Something in the cloud serves it, as far as known.
  [[nodiscard]] bool exists() const;
  // Why no Node takes its traffic; empty = some do.
  [[nodiscard]] std::string no_members() const;
  // The annotations by which its load balancer is found again, where the Service lacks them.
  [[nodiscard]] ServicePatch annotations() const;
  // A hash of the request that is under way.
  [[nodiscard]] uint64_t request_hash() const;
};

using SyncPtr = std::shared_ptr<Sync>;

}  // namespace ccm::service
