// Whose load balancer is, and which Service may take over another owner's (docs/decisions/0011).
// [serial]
#pragma once

#include "context.hpp"
#include "records.hpp"
#include "sync.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/task.hpp>

#include <string_view>

namespace ccm::service {

class Ownership {
 public:
  Ownership(const Context& context, const Records& records)
      : host_(context.host), settings_(context.settings), records_(records) {}

  // `ensure` of the provider; once more, as a takeover, where it met somebody else's load balancer
  // and the administrator allows this Service to take it over.
  Task<Result<LoadBalancer>> ensure(Ctx ctx, SyncPtr sync);
  [[nodiscard]] bool may_adopt(const Sync& sync, std::string_view id) const;

  // The failure of a Service whose load balancer is somebody else's.
  static Status foreign(const Sync& sync);
  // The failure of one that asks for a takeover that nobody allows.
  static Status adoption_refused(const Sync& sync);

 private:
  Task<Result<LoadBalancer>> ensure_once(Ctx ctx, SyncPtr sync);
  [[nodiscard]] bool another_has(const Sync& sync, std::string_view id) const;

  Host& host_;
  const Settings& settings_;
  const Records& records_;
};

}  // namespace ccm::service
