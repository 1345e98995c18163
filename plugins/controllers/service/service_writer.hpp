// Writes to a Service. What somebody else undoes again and again is written ever less often, and an
// Event says who does it. [serial]
#pragma once

#include "context.hpp"
#include "patches.hpp"
#include "sync.hpp"

#include <ccm/task.hpp>

#include <string>

namespace ccm::service {

class ServiceWriter {
 public:
  explicit ServiceWriter(const Context& context) : host_(context.host), events_(context.events) {}

  // The Service of `sync` is the API server's answer afterwards.
  Task<Status> write(Ctx ctx, SyncPtr sync, ServicePatch patch);

 private:
  // The patch without what others undo again and again, until its time has come.
  Task<ServicePatch> repeated(Ctx ctx, SyncPtr sync, ServicePatch patch);
  Task<std::string> writer(Ctx ctx, SyncPtr sync, bool of_addresses);

  Host& host_;
  const Events& events_;
};

}  // namespace ccm::service
