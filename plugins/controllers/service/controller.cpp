#include "controller.hpp"

#include "conditions.hpp"
#include "ingress.hpp"
#include "names.hpp"
#include "poll_schedule.hpp"
#include "predicates.hpp"
#include "texts.hpp"

#include <ccm/timestamp.hpp>
#include <ccm/watch.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// SVC-2.
constexpr milliseconds kFirstRetry{5'000};
constexpr milliseconds kLongestRetry{300'000};
constexpr milliseconds kReconcileTimeout{120'000};
// Changes of Nodes within that time are one update of each load balancer.
constexpr milliseconds kNodeWindow{1'000};
// Between two looks at Nodes whose instances the cloud does not show.
constexpr milliseconds kNodeResync{300'000};
// The key of all Nodes together; no Service is called so.
constexpr std::string_view kNodesKey = "nodes";

std::string key_of(const Object& service) {
  return std::string(service.namespace_name()) + "/" + std::string(service.name());
}

// After a restart, Services that look finished are queued after those that wait for something.
Priority priority_of(const ServiceState& service) {
  const bool finished = service.finalizer && !service.deleting && !service.ingress.empty();
  return finished ? Priority::periodic : Priority::changed;
}

// A permanent failure is retried slowly: quotas are raised without a change of the Service.
constexpr milliseconds kRefusedRetry{600'000};
// A condition that only changes its message, by a request id for instance, is not written more
// often.
constexpr milliseconds kSameReasonPause{300'000};
// As metadata.managedFields names this program: by the first word of its User-Agent.
constexpr std::string_view kFieldManager = "cloud-controller-manager";

}  // namespace

Controller::Controller(Host& host)
    : host_(host),
      events_(host.events.from("service-controller")),  // SVC-5
      updates_(host.metrics.counter("service_controller_loadbalancer_sync_total",
                                    "Updates of a load balancer's backends that were begun.")),
      failed_updates_(host.metrics.counter("service_controller_nodesync_error_total",
                                           "Updates of a load balancer's backends that failed.")),
      pass_(host.metrics.histogram(
          "service_controller_nodesync_latency_seconds",
          "From a change of Nodes until every Service has seen it.",
          {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384})),
      update_duration_(host.metrics.histogram(
          "service_controller_update_loadbalancer_host_latency_seconds",
          "Duration of one update of a load balancer's backends.",
          {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384})),
      time_to_address_(
          host.metrics.histogram("ccm_service_time_to_address_seconds",
                                 "From when a Service first needed a load balancer until its "
                                 "status got an address.",
                                 {1, 4, 16, 64, 256, 1024})),
      limits_slot_(host.post, 1),
      members_(host) {}

Status Controller::setup(Setup& setup) {
  if (!host_.load_balancers) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "the cloud provider does not offer load balancers");
  }
  auto settings = read_settings(host_.config);
  if (!settings.ok()) return settings.status();
  settings_ = *std::move(settings);
  members_.exclude_cordoned(settings_.exclude_cordoned);

  QueueOptions options;
  options.name = "service";
  options.workers = settings_.workers;
  options.backoff_first = kFirstRetry;
  options.backoff_limit = kLongestRetry;
  options.reconcile_timeout = kReconcileTimeout;
  setup.queue(options);

  watch(setup, kServices, service_fields(), std::bind_front(&Controller::on_service, this));
  watch(setup, kNodes, node_fields(), std::bind_front(&Controller::on_node, this), kNodeResync);
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
      if (wants_load_balancer(service, settings_.classes) || needs_cleanup(service)) {
        queue.add(key_of(now), priority_of(service));
      } else if (records_.contains(key_of(now))) {
        queue.add(key_of(now));
      }
      return;
    }
    case EventKind::updated:
      return on_update(old, now, queue);
    case EventKind::deleted: {  // SVC-16
      time_to_address_.forget(std::string(now.uid()));
      const auto place = records_.find(key_of(now));
      if (place == records_.end()) return;
      place->second->newest = Object();
      if (place->second->uid == now.uid()) place->second->vanished = now;
      queue.add(key_of(now));
      return;
    }
    case EventKind::hinted: {
      const auto place = records_.find(key_of(now));
      if (place == records_.end()) return;
      place->second->audit_due = milliseconds(0);
      // The cloud's side has changed, so what was waited for may have come.
      place->second->not_before = milliseconds(0);
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
  const auto place = records_.find(key);
  if (place != records_.end()) {
    Record& record = *place->second;
    if (record.newest && service.version >= record.newest.version()) {
      record.newest = Object();
    }
    if (before.uid != service.uid && record.uid == before.uid) record.vanished = old;
  }
  note_need(before, now, service);
  const bool wants = wants_load_balancer(service, settings_.classes);
  const bool cleanup = needs_cleanup(service);
  // The server drops the addresses when the type changes, even if it changes back at once (SVC-47).
  const bool lost_addresses = wants && !before.ingress.empty() && service.ingress.empty();
  const bool overwritten = place != records_.end() && place->second->in_cloud() &&
                           before.ingress != service.ingress &&
                           !same_ingress(service.ingress, place->second->ingress);
  if (needs_update(before, service, settings_.classes) || lost_addresses || overwritten ||
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
  if (!wants_load_balancer(service, settings_.classes) || service.deleting) return;
  if (!service.ingress.empty()) return;
  const milliseconds now = host_.timer.wall_clock();
  if (fresh) {
    const auto created = parse_timestamp(object.text("/metadata/creationTimestamp"));
    time_to_address_.needed(service.uid, created.value_or(now));
  } else if (!service.finalizer && !wants_load_balancer(before, settings_.classes)) {
    time_to_address_.needed(service.uid, now);
  }
}

void Controller::on_node(EventKind kind, const Object& old, const Object& now, const Queue& queue) {
  if (!members_.on_node(kind, old, now)) {
    if (const auto left = members_.left(now)) queue.add(kNodesKey, Priority::changed, *left);
    return;
  }
  if (records_.empty()) {
    nodes_missed_ = true;
    return;
  }
  pass_.changed(host_.timer.now());
  queue.add(kNodesKey, Priority::changed, kNodeWindow);
}

// Nodes that came while no Service needed them have to be asked about, or the first Service would
// begin without them. The pass afterwards repeats a question that failed.
Task<Status> Controller::know_nodes(Ctx ctx) {
  const bool missed = std::exchange(nodes_missed_, false);
  if (!missed && members_.settled()) co_return Status();
  Status learned = co_await members_.learn(ctx);
  if (missed) host_.queue.add(kNodesKey, Priority::changed);
  co_return members_.settled() ? Status() : learned;
}

// Where the cloud does not answer, those Services come that have to do with less than it.
Task<Status> Controller::sync_nodes(Ctx ctx) {
  Status learned = co_await members_.learn(ctx);
  if (!members_.settled()) co_return learned;
  const Members::Set set = members_.current();
  for (const auto& [key, record] : records_) {
    if (set->hash(record->node_labels) == record->offered_hash) continue;
    if (pass_.schedule(*record)) host_.queue.add(key, Priority::changed);
  }
  pass_.scheduled();
  if (!learned.ok()) learned.with_context("failed to find the instances of the Nodes");
  co_return learned;
}

// Workers that arrive at the same moment share the call, and its failure.
Task<Status> Controller::learn_limits(Ctx ctx) {
  if (id_annotation_) co_return Status();
  const milliseconds came = host_.timer.now();
  auto slot = co_await limits_slot_.acquire();
  if (id_annotation_) co_return Status();
  if (!limits_failure_.ok() && limits_failed_ >= came) co_return limits_failure_;
  const auto limits = co_await host_.load_balancers.limits(ctx);
  if (!limits.ok() && limits.status().code() != Code::unimplemented) {
    limits_failed_ = host_.timer.now();
    co_return limits_failure_ = limits.status();
  }
  std::string annotation(kLoadBalancerIdAnnotation);
  if (limits.ok() && !limits->id_annotation.empty()) annotation = limits->id_annotation;
  id_annotation_ = std::move(annotation);
  co_return Status();
}

Task<Result<ReconcileResult>> Controller::reconcile(Ctx ctx, Request request) {
  if (request.key == kNodesKey) {
    ReconcileResult result;
    result.requeue_after = members_.release().value_or(milliseconds(0));
    Status learned = co_await sync_nodes(ctx);
    if (!learned.ok()) co_return learned;
    co_return result;
  }
  Status learned = co_await learn_limits(ctx);
  if (!learned.ok()) {
    learned.with_context("failed to read the limits of the cloud's load balancers");
    const Object service = cached(request.key);
    if (worth_telling(learned) && host_.leader.leading()) {
      events_.warning(service, kSyncFailed,
                      "Error syncing load balancer: " + failure_text(learned));
    }
    // Not a failure of the Service, so the retry does not wait for a change of it.
    if (learned.refused()) learned.with_class(ErrorClass::none);
    co_return learned;
  }
  const auto place = records_.find(request.key);
  const bool in_pass = place != records_.end() && NodePass::take(*place->second);
  Status status = co_await sync_service(ctx, request.key);
  if (in_pass) pass_.ended(host_.timer.now());
  if (!status.ok()) co_return status;
  co_return next_audit(request.key);
}

Object Controller::cached(std::string_view key) const {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {};
  return host_.kube.cached(kServices, key.substr(slash + 1), key.substr(0, slash));
}

Task<Status> Controller::sync_service(Ctx ctx, std::string key) {
  const auto known = records_.find(key);
  if (known != records_.end() && known->second->vanished) {  // SVC-17: first of all
    const std::shared_ptr<Record> record = known->second;
    SyncPtr sync = begin(key, record, record->vanished);
    Status removed = co_await remove_vanished(ctx, sync);
    if (!removed.ok()) co_return removed;
    erase_record(key);
  }
  const Object object = cached(key);
  if (!object) {
    erase_record(key);
    co_return Status();
  }
  const std::shared_ptr<Record> record = record_of(key, std::string(object.uid()));
  SyncPtr sync = begin(key, record, object);
  const ServiceState& service = sync->service;
  const bool wants = wants_load_balancer(service, settings_.classes);
  Status status;
  // TRAP-15: the API server accepts no new finalizer on an object that is being deleted.
  if (wants && !service.deleting) {
    status = co_await sync_load_balancer(ctx, sync);
  } else if (needs_cleanup(service) || record->has_balancer()) {
    status = co_await clean_up(ctx, sync);
  } else {
    erase_record(key);
    time_to_address_.forget(service.uid);
  }
  co_return status;
}

// A pass of Nodes does not wait for a Service that is gone.
void Controller::erase_record(const std::string& key) {
  const auto place = records_.find(key);
  if (place == records_.end()) return;
  if (NodePass::take(*place->second)) pass_.ended(host_.timer.now());
  members_.watch_labels(place->second->node_labels, {});
  records_.erase(place);
}

std::shared_ptr<Record> Controller::record_of(const std::string& key, const std::string& uid) {
  std::shared_ptr<Record>& record = records_[key];
  if (!record || record->uid != uid) {
    if (record) members_.watch_labels(record->node_labels, {});
    record = std::make_shared<Record>();
    record->uid = uid;
  }
  return record;
}

// The newer one of the watch's state and the answer to our last write.
Controller::SyncPtr Controller::begin(std::string key, std::shared_ptr<Record> record,
                                      Object object) const {
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
  sync->options = {settings_.cluster_name, *id_annotation_, sync->record->id};
  return sync;
}

// The next audit, or before it what somebody undid.
ReconcileResult Controller::next_audit(const std::string& key) const {
  ReconcileResult result;
  const auto place = records_.find(key);
  if (place == records_.end() || !place->second->in_cloud()) return result;
  const Record& record = *place->second;
  const milliseconds now = host_.timer.now();
  if (settings_.audit_period > milliseconds(0)) {
    result.requeue_after = std::max(record.audit_due - now, milliseconds(1));
  }
  const milliseconds due = record.rewrites.due();
  if (due > now && (result.requeue_after <= milliseconds(0) || due - now < result.requeue_after)) {
    result.requeue_after = due - now;
  }
  return result;
}

// Read live: no cache keeps managedFields, which are longer than the rest of a Service. A list,
// which this controller may, of the one object.
Task<std::string> Controller::writer(Ctx ctx, SyncPtr sync, bool of_addresses) {
  KubeSelection selection;
  selection.resource = kServices;
  selection.namespace_name = sync->service.namespace_name;
  selection.field_selector = "metadata.name=" + sync->service.name;
  const auto listed = co_await host_.kube.list(ctx, std::move(selection));
  Object service;
  if (listed.ok()) {
    for (const Object& object : *listed) {
      if (object.uid() == sync->service.uid) service = object;
    }
  }
  co_return writer_of(service, of_addresses, kFieldManager);
}

Task<ServicePatch> Controller::repeated(Ctx ctx, SyncPtr sync, ServicePatch patch) {
  Rewrites& rewrites = sync->record->rewrites;
  if (!rewrites.again(host_.timer.now())) {
    rewrites.leave_out(patch);
    std::erase_if(patch.conditions, [&](const Condition& wanted) {
      return difference(sync->service.condition(wanted.type), wanted) == Difference::none;
    });
    co_return patch;
  }
  const bool addresses = rewrites.repeats_addresses(patch);
  if (!rewrites.worth_telling(addresses && !sync->service.ingress.empty())) co_return patch;
  const std::string who = co_await writer(ctx, sync, addresses);
  host_.log.warning("Somebody undoes what was written to a service",
                    {{"service", sync->key}, {"writer", who}, {"times", rewrites.times()}});
  if (addresses) {
    events_.warning(sync->object, kStatusOverwritten,
                    "status.loadBalancer is also written by " + who +
                        ": two controllers serve this Service. Its addresses are written again, "
                        "ever less often. Set spec.loadBalancerClass, or switch the other one off");
  } else {
    events_.warning(sync->object, kAnnotationRemoved,
                    "Annotations of the load balancer are taken away again and again, last by " +
                        who +
                        ". They are written again, ever less often. Let the tool that does it "
                        "ignore " +
                        patch.annotations.front().key);
  }
  co_return patch;
}

// The answer is the input of the next step.
Task<Status> Controller::write(Ctx ctx, SyncPtr sync, ServicePatch patch) {
  if (sync->record->rewrites.repeats(patch)) {
    patch = co_await repeated(ctx, sync, std::move(patch));
    if (patch.empty()) co_return Status();
  }
  KubePatch rendered = patch.render(sync->service);
  auto written = co_await host_.kube.patch(ctx, std::move(rendered));
  if (!written.ok()) co_return written.status();
  sync->record->rewrites.written(patch);
  sync->object = *std::move(written);
  sync->service = read_service(sync->object);
  for (const Label& own : patch.annotations) {
    if (own.value.empty()) {
      sync->requested.annotations.erase(own.key);
    } else {
      sync->requested.annotations.insert_or_assign(own.key, own.value);
    }
  }
  // The watch may have been faster, and the whole object is large.
  const Object shown = cached(sync->key);
  const bool behind = shown && shown.version() < sync->service.version;
  sync->record->newest = behind ? sync->object : Object();
  co_return Status();
}

// Our own last write must not look like a change of the Service, and a change by somebody else that
// its answer shows has not been sent to the cloud.
uint64_t Controller::request_hash(const Sync& sync) {
  if (sync.intent.uid.empty()) return sync.hash;
  const Record& record = *sync.record;
  LoadBalancerService intent = sync.intent;
  if (intent.adopt_id == record.id) intent.adopt_id.clear();
  return intent_hash(intent, sync.requested, sync.options, record.annotations);
}

void Controller::defer(const Sync& sync, const Status& status) const {
  Record& record = *sync.record;
  record.not_before = host_.timer.now() + status.retry_after();
  record.deferred_hash = request_hash(sync);
  record.deferred = status;
  if (!record.deferred.refused()) record.deferred.with_class(ErrorClass::waiting);
}

Status Controller::in_time(const Sync& sync, Status status) const {
  if (status.retry_after() > milliseconds(0)) return status;
  Record& record = *sync.record;
  const milliseconds now = host_.timer.now();
  const uint64_t hash = request_hash(sync);
  if (std::exchange(record.polled_hash, hash) != hash) record.polled_since = now;
  return std::move(status).with_retry_after(until_next_poll(now, record.polled_since));
}

Task<Status> Controller::fail(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                              bool with_condition) {
  Record& record = *sync->record;
  if (record.state == SyncState::ensuring) record.state = SyncState::out_of_sync;
  if (!worth_telling(status) || !host_.leader.leading()) co_return status;
  const std::string text = failure_text(status);
  events_.warning(sync->object, reason, "Error syncing load balancer: " + text);
  const Condition wanted =
      ready(false, status.reason().empty() ? kSyncFailed : std::string_view(status.reason()), text);
  const Condition* stored = sync->service.condition(kReadyCondition);
  const Difference differs = difference(stored, wanted);
  const milliseconds now = host_.timer.now();
  // With a ctx that has ended the host sends nothing; the next try tells it.
  if (with_condition && !ctx.cancelled() &&
      (differs == Difference::reason ||
       (differs == Difference::message && now - record.condition_written >= kSameReasonPause))) {
    record.condition_written = now;
    // An id that the user changed stays, for the user to see.
    ServicePatch patch = status.reason() == kNotOwned ? ServicePatch() : annotated(*sync);
    patch.conditions.push_back(timed(stored, wanted, host_.timer.wall_clock()));
    const Status written = co_await write(ctx, sync, std::move(patch));
    if (!written.ok()) {
      host_.log.v(2, "Could not write a condition", {{"service", sync->key}, {"err", written}});
    }
  }
  if (status.refused()) {
    status.with_retry_after(kRefusedRetry);
    defer(*sync, status);
  } else if (status.retry_after() > milliseconds(0)) {
    defer(*sync, status);
    // SVC-50: after exactly that time, and without back-off.
    if (status.error_class() == ErrorClass::none) status.with_class(ErrorClass::waiting);
  }
  co_return status;
}

Task<Status> Controller::wait(Ctx ctx, SyncPtr sync, Status status, std::string_view reason,
                              ServicePatch patch) {
  const Condition* stored = sync->service.condition(kReadyCondition);
  const Condition wanted =
      ready(false, status.reason().empty() ? reason : std::string_view(status.reason()),
            status.message());
  if (difference(stored, wanted) != Difference::none) {
    patch.conditions.push_back(timed(stored, wanted, host_.timer.wall_clock()));
  }
  if (!patch.empty()) {
    Status written = co_await write(ctx, sync, std::move(patch));
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to record the load balancer");
      Status told = co_await fail(ctx, sync, written, kSyncFailed, false);
      co_return told;
    }
  }
  status = in_time(*sync, std::move(status));
  defer(*sync, status);
  co_return status;
}

}  // namespace ccm::service
