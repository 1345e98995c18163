// The delete branch (SVC-29 to SVC-36): removes the load balancer of a Service, then its finalizer.
// [serial]
#pragma once

#include "context.hpp"
#include "records.hpp"
#include "reporting.hpp"
#include "retention.hpp"
#include "service_writer.hpp"
#include "sync.hpp"
#include "time_to_address.hpp"

#include <ccm/task.hpp>

namespace ccm::service {

class CleanUp {
 public:
  CleanUp(const Context& context, const Retention& retention, ServiceWriter& writer,
          Reporting& reporting, Records& records, TimeToAddress& time_to_address)
      : host_(context.host),
        events_(context.events),
        retention_(retention),
        writer_(writer),
        reporting_(reporting),
        records_(records),
        time_to_address_(time_to_address) {}

  // A Service that is being deleted, or wants no load balancer any more.
  Task<Status> run(Ctx ctx, SyncPtr sync);
  // One that is gone already.
  Task<Status> remove_vanished(Ctx ctx, SyncPtr sync);

 private:
  Task<Status> finish(Ctx ctx, SyncPtr sync, bool deleted);
  void announce_deletion(const Sync& sync) const;
  void report_deleted(const Sync& sync) const;
  void report_braked(const Sync& sync, const Status& why) const;
  void report_not_owned(const Sync& sync) const;
  void report_kept(const Sync& sync, const Status& why) const;

  Host& host_;
  const Events& events_;
  const Retention& retention_;
  ServiceWriter& writer_;
  Reporting& reporting_;
  Records& records_;
  TimeToAddress& time_to_address_;
};

}  // namespace ccm::service
