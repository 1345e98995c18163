// The ensure branch (SVC-20 to SVC-28): brings the load balancer of a Service in sync with it and
// with the Nodes: the finalizer first, then observe, ensure, wait, report. [serial]
#pragma once

#include "context.hpp"
#include "members.hpp"
#include "node_changes.hpp"
#include "ownership.hpp"
#include "reporting.hpp"
#include "retention.hpp"
#include "service_metrics.hpp"
#include "service_writer.hpp"
#include "sync.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/task.hpp>

namespace ccm::service {

class LoadBalancerSync {
 public:
  LoadBalancerSync(const Context& context, const ServiceMetrics& metrics, Members& members,
                   NodeChanges& node_changes, const Retention& retention, Ownership& ownership,
                   ServiceWriter& writer, Reporting& reporting)
      : host_(context.host),
        events_(context.events),
        settings_(context.settings),
        metrics_(metrics),
        members_(members),
        node_changes_(node_changes),
        retention_(retention),
        ownership_(ownership),
        writer_(writer),
        reporting_(reporting) {}

  Task<Status> run(Ctx ctx, SyncPtr sync);

 private:
  Task<Status> observe_cloud(Ctx ctx, SyncPtr sync);
  Task<Status> ensure(Ctx ctx, SyncPtr sync);
  Task<Status> update_backends(Ctx ctx, SyncPtr sync);
  // Nodes do not wait with a change that the host holds back: the load balancer that exists follows
  // them.
  Task<Status> follow_nodes(Ctx ctx, SyncPtr sync);
  Task<Status> keep_members(Ctx ctx, SyncPtr sync);
  Task<Status> hold_members(Ctx ctx, SyncPtr sync, Status held);
  static void add_why_none(const Sync& sync, Status& failed);
  Task<Status> record_partial(Ctx ctx, SyncPtr sync, Result<LoadBalancer> answer);
  Task<Status> add_finalizer(Ctx ctx, SyncPtr sync);
  Task<Status> take_answer(Ctx ctx, SyncPtr sync, LoadBalancer answer);
  Task<Status> pending(Ctx ctx, SyncPtr sync, LoadBalancer answer);
  Task<Status> not_now(Ctx ctx, SyncPtr sync, Status why, SyncState before);
  Task<Status> left_to_others(SyncPtr sync);
  void announce(const SyncPtr& sync) const;
  void remember(const SyncPtr& sync, const LoadBalancer& answer);
  void remember_members(const SyncPtr& sync, const LoadBalancer& answer);
  void remember_request(const SyncPtr& sync) const;

  Host& host_;
  const Events& events_;
  const Settings& settings_;
  const ServiceMetrics& metrics_;
  Members& members_;
  NodeChanges& node_changes_;
  const Retention& retention_;
  Ownership& ownership_;
  ServiceWriter& writer_;
  Reporting& reporting_;
};

}  // namespace ccm::service
