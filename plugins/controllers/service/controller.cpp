#include "controller.hpp"

#include "ingress.hpp"
#include "names.hpp"
#include "predicates.hpp"
#include "texts.hpp"

#include <ccm/timestamp.hpp>
#include <ccm/watch.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// SVC-2.
constexpr milliseconds kFirstRetry{5'000};
constexpr milliseconds kLongestRetry{300'000};
constexpr milliseconds kReconcileTimeout{120'000};
// Between two looks at Nodes whose instances the cloud does not show.
constexpr milliseconds kNodeResync{300'000};

std::string key_of(const Object& service) {
  return std::string(service.namespace_name()) + "/" + std::string(service.name());
}

// After a restart, Services that look finished are queued after those that wait for something.
Priority priority_of(const ServiceState& service) {
  const bool finished = service.finalizer && !service.deleting && !service.ingress.empty();
  return finished ? Priority::periodic : Priority::changed;
}

}  // namespace

Controller::Controller(Host& host)
    : context_{host, host.events.from("service-controller"), Settings()},
      metrics_(host.metrics),
      pass_(metrics_.node_pass),
      time_to_address_(metrics_.time_to_address),
      id_annotation_(host),
      members_(host),
      records_(host.timer, members_, pass_),
      node_changes_(context_, members_, pass_, records_),
      writer_(context_),
      reporting_(context_, writer_, time_to_address_),
      ownership_(context_, records_),
      retention_(context_),
      load_balancers_(context_, metrics_, members_, node_changes_, retention_, ownership_, writer_,
                      reporting_),
      clean_up_(context_, retention_, writer_, reporting_, records_, time_to_address_) {}

Status Controller::setup(Setup& setup) {
  if (!context_.host.load_balancers) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "the cloud provider does not offer load balancers");
  }
  auto settings = read_settings(context_.host.config);
  if (!settings.ok()) return settings.status();
  context_.settings = *std::move(settings);
  members_.exclude_cordoned(context_.settings.exclude_cordoned);

  QueueOptions options;
  options.name = "service";
  options.workers = context_.settings.workers;
  options.backoff_first = kFirstRetry;
  options.backoff_limit = kLongestRetry;
  options.reconcile_timeout = kReconcileTimeout;
  setup.queue(options);

  watch(setup, kServices, service_fields(), std::bind_front(&Controller::on_service, this));
  watch(setup, kNodes, node_fields(), std::bind_front(&NodeChanges::on_node, &node_changes_),
        kNodeResync);
  return {};
}

// An add also ends a wait that the cloud has asked for, so only real changes are added: no resync,
// no heartbeat, and no write of this controller.
void Controller::on_service(EventKind kind, const Object& old, const Object& now,
                            const Queue& queue) {
  switch (kind) {
    case EventKind::added: {
      const ServiceState service = read_service(now);
      note_need(ServiceState(), now, service);
      if (wants_load_balancer(service, context_.settings.classes) || needs_cleanup(service)) {
        queue.add(key_of(now), priority_of(service));
      } else if (records_.find(key_of(now))) {
        queue.add(key_of(now));
      }
      return;
    }
    case EventKind::updated:
      return on_update(old, now, queue);
    case EventKind::deleted: {  // SVC-16
      time_to_address_.forget(std::string(now.uid()));
      const auto record = records_.find(key_of(now));
      if (!record) return;
      record->newest = Object();
      if (record->uid == now.uid()) record->vanished = now;
      queue.add(key_of(now));
      return;
    }
    case EventKind::hinted: {
      const auto record = records_.find(key_of(now));
      if (!record) return;
      record->audit_due = milliseconds(0);
      // The cloud's side has changed, so what was waited for may have come.
      record->not_before = milliseconds(0);
      queue.add(key_of(now));
      return;
    }
    case EventKind::resync:
      return;
  }
}

void Controller::on_update(const Object& old, const Object& now, const Queue& queue) {
  const ServiceState before = read_service(old);
  const ServiceState service = read_service(now);
  const std::string key = key_of(now);
  const auto record = records_.find(key);
  if (record) {
    if (record->newest && service.version >= record->newest.version()) {
      record->newest = Object();
    }
    if (before.uid != service.uid && record->uid == before.uid) record->vanished = old;
  }
  note_need(before, now, service);
  const bool wants = wants_load_balancer(service, context_.settings.classes);
  const bool cleanup = needs_cleanup(service);
  // The server drops the addresses when the type changes, even if it changes back at once (SVC-47).
  const bool lost_addresses = wants && !before.ingress.empty() && service.ingress.empty();
  const bool overwritten = record && record->in_cloud() && before.ingress != service.ingress &&
                           !same_ingress(service.ingress, record->ingress);
  if (needs_update(before, service, context_.settings.classes) || lost_addresses || overwritten ||
      (cleanup && (!needs_cleanup(before) || before.annotations != service.annotations))) {
    queue.add(key);
  }
}

// Without an address and without our finalizer there was no load balancer before. A Service seen
// for the first time is assumed to have been created with its type.
void Controller::note_need(const ServiceState& before, const Object& object,
                           const ServiceState& service) {
  const bool fresh = before.uid != service.uid;
  if (fresh && !before.uid.empty()) time_to_address_.forget(before.uid);
  if (!wants_load_balancer(service, context_.settings.classes) || service.deleting) return;
  if (!service.ingress.empty()) return;
  const milliseconds now = context_.host.timer.wall_clock();
  if (fresh) {
    const auto created = parse_timestamp(object.text("/metadata/creationTimestamp"));
    time_to_address_.needed(service.uid, created.value_or(now));
  } else if (!service.finalizer && !wants_load_balancer(before, context_.settings.classes)) {
    time_to_address_.needed(service.uid, now);
  }
}

Task<Result<ReconcileResult>> Controller::reconcile(Ctx ctx, Request request) {
  if (request.key == kNodesKey) {
    ReconcileResult result;
    result.requeue_after = members_.release().value_or(milliseconds(0));
    Status learned = co_await node_changes_.sync(ctx);
    if (!learned.ok()) co_return learned;
    co_return result;
  }
  Status learned = co_await id_annotation_.learn(ctx);
  if (!learned.ok()) {
    learned.with_context("failed to read the limits of the cloud's load balancers");
    const Object service = cached_service(context_.host.kube, request.key);
    if (worth_reporting(learned) && context_.host.leader.leading()) {
      context_.events.warning(service, kSyncFailed,
                              "Error syncing load balancer: " + failure_text(learned));
    }
    // Not a failure of the Service, so the retry does not wait for a change of it.
    if (learned.refused()) learned.with_class(ErrorClass::none);
    co_return learned;
  }
  const auto record = records_.find(request.key);
  const bool in_pass = record && NodePass::take(*record);
  Status status = co_await sync_service(ctx, request.key);
  if (in_pass) pass_.ended(context_.host.timer.now());
  if (!status.ok()) co_return status;
  co_return next_audit(request.key);
}

Task<Status> Controller::sync_service(Ctx ctx, std::string key) {
  const auto known = records_.find(key);
  if (known && known->vanished) {  // SVC-17: first of all
    SyncPtr sync = begin(key, known, known->vanished);
    Status removed = co_await clean_up_.remove_vanished(ctx, sync);
    if (!removed.ok()) co_return removed;
    records_.erase(key);
  }
  const Object object = cached_service(context_.host.kube, key);
  if (!object) {
    records_.erase(key);
    co_return Status();
  }
  const std::shared_ptr<Record> record = records_.of(key, std::string(object.uid()));
  SyncPtr sync = begin(key, record, object);
  const ServiceState& service = sync->service;
  const bool wants = wants_load_balancer(service, context_.settings.classes);
  Status status;
  // TRAP-15: the API server accepts no new finalizer on an object that is being deleted.
  if (wants && !service.deleting) {
    status = co_await load_balancers_.run(ctx, sync);
  } else if (needs_cleanup(service) || record->has_balancer()) {
    status = co_await clean_up_.run(ctx, sync);
  } else {
    records_.erase(key);
    time_to_address_.forget(service.uid);
  }
  co_return status;
}

// The newer one of the watch's state and the answer to our last write.
SyncPtr Controller::begin(std::string key, std::shared_ptr<Record> record, Object object) const {
  auto sync = std::make_shared<Sync>();
  sync->key = std::move(key);
  sync->service = read_service(object);
  sync->object = std::move(object);
  if (record->newest) {
    ServiceState newest = read_service(record->newest);
    if (newest.uid == sync->service.uid && newest.version > sync->service.version) {
      sync->object = record->newest;
      sync->service = std::move(newest);
    } else {
      record->newest = Object();
    }
  }
  sync->record = std::move(record);
  sync->options = {context_.settings.cluster_name, id_annotation_.name(), sync->record->id};
  return sync;
}

// The next audit, or before it what somebody undid.
ReconcileResult Controller::next_audit(const std::string& key) const {
  ReconcileResult result;
  const auto found = records_.find(key);
  if (!found || !found->in_cloud()) return result;
  const Record& record = *found;
  const milliseconds now = context_.host.timer.now();
  if (context_.settings.audit_period > milliseconds(0)) {
    result.requeue_after = std::max(record.audit_due - now, milliseconds(1));
  }
  const milliseconds due = record.rewrites.due();
  if (due > now && (result.requeue_after <= milliseconds(0) || due - now < result.requeue_after)) {
    result.requeue_after = due - now;
  }
  return result;
}

}  // namespace ccm::service
