// How the state of a load balancer is reported: status and conditions of its Service, Events, and
// the time of the next attempt. [serial]
#pragma once

#include "context.hpp"
#include "patches.hpp"
#include "service_writer.hpp"
#include "sync.hpp"
#include "time_to_address.hpp"

#include <ccm/task.hpp>

#include <string_view>

namespace ccm::service {

class Reporting {
 public:
  Reporting(const Context& context, ServiceWriter& writer, TimeToAddress& time_to_address)
      : host_(context.host),
        events_(context.events),
        writer_(writer),
        time_to_address_(time_to_address) {}

  // Reports a failure by Event (`reason`) and condition, and returns when to retry.
  Task<Status> fail(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                    bool with_condition);
  // Not a failure, but the cloud needs time.
  Task<Status> wait(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                    ServicePatch patch);
  // The load balancer is as wanted: address, conditions, Events.
  Task<Status> update_status(Ctx ctx, SyncPtr sync);
  // That no Node takes its traffic, by Event.
  void report_no_members(const Sync& sync) const;
  // `status`, of class waiting, with the time to come back: the provider's, or one that grows with
  // the time that the cloud has been working on this request.
  [[nodiscard]] Status in_time(const Sync& sync, Status status) const;

 private:
  void defer(const Sync& sync, const Status& status) const;

  Host& host_;
  const Events& events_;
  ServiceWriter& writer_;
  TimeToAddress& time_to_address_;
};

}  // namespace ccm::service
