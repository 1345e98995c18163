// service-lb-controller: creates a load balancer of the cloud for each Service of type
// LoadBalancer, keeps it in sync with the Service and its backends in sync with the Nodes, and
// deletes it. [serial]
//
// The host's queue reconciles one Service once at a time, so creating, changing the backends and
// deleting never overlap (TRAP-12). No reconcile waits for the cloud to finish: the Service is
// requeued, and a condition says what it waits for.
//
// This class has the queue and the informers: which events count, and what one reconcile is about.
#pragma once

#include "clean_up.hpp"
#include "context.hpp"
#include "id_annotation.hpp"
#include "load_balancer_sync.hpp"
#include "members.hpp"
#include "node_changes.hpp"
#include "node_pass.hpp"
#include "ownership.hpp"
#include "records.hpp"
#include "reporting.hpp"
#include "retention.hpp"
#include "service_metrics.hpp"
#include "service_state.hpp"
#include "service_writer.hpp"
#include "sync.hpp"
#include "time_to_address.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <memory>
#include <string>

namespace ccm::service {

class Controller {
 public:
  explicit Controller(Host& host);
  Controller(const Controller&) = delete;  // its parts refer to each other
  Controller& operator=(const Controller&) = delete;

  // Unimplemented when the provider has no load balancers (SVC-1).
  Status setup(Setup& setup);
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request);

 private:
  void on_service(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  void on_update(const Object& old, const Object& now, const Queue& queue);
  void note_need(const ServiceState& before, const Object& object, const ServiceState& service);
  Task<Status> sync_service(Ctx ctx, std::string key);
  SyncPtr begin(std::string key, std::shared_ptr<Record> record, Object object) const;
  [[nodiscard]] ReconcileResult next_audit(const std::string& key) const;

  // Each part knows only those above it.
  Context context_;
  const ServiceMetrics metrics_;
  NodePass pass_;
  TimeToAddress time_to_address_;
  IdAnnotation id_annotation_;
  Members members_;
  Records records_;
  NodeChanges node_changes_;
  ServiceWriter writer_;
  Reporting reporting_;
  Ownership ownership_;
  Retention retention_;
  LoadBalancerSync load_balancers_;
  CleanUp clean_up_;
};

}  // namespace ccm::service
