#include "load_balancer_sync.hpp"

#include "decision.hpp"
#include "hash.hpp"
#include "ingress.hpp"
#include "intent.hpp"
#include "names.hpp"
#include "texts.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

bool elsewhere(const Status& status) { return status.code() == Code::implemented_elsewhere; }

// Nothing may be concluded, so nothing is done.
Status not_known() {
  return {Code::unavailable, ErrorClass::waiting,
          "the cloud does not say what the load balancer is"};
}

bool serves(const LoadBalancer& answer) {
  return answer.state == LoadBalancerState::active || answer.state == LoadBalancerState::shared;
}

std::string named(const LoadBalancer& answer) {
  const std::string& text = answer.name.empty() ? answer.id : answer.name;
  return text.empty() ? "load balancer" : "load balancer " + text;
}

}  // namespace

Task<Status> LoadBalancerSync::run(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  retention_.report_refused(*sync);
  const LoadBalancerClass* balancer_class = settings_.classes.find(sync->service.class_name);
  auto intent = make_intent(sync->object, sync->service, *balancer_class, sync->options);
  Status refused = intent.status();
  if (intent.ok()) {
    sync->intent = *std::move(intent);
    sync->requested = sync->service;
    sync->hash = intent_hash(sync->intent, sync->requested, sync->options, record.annotations);
  } else {
    sync->hash = Hash().add(refused.message()).value();
  }
  const milliseconds now = host_.timer.now();
  const milliseconds left = deferral_left(record, sync->hash, now);
  if (left > milliseconds(0)) {
    Status deferred = record.deferred;
    if (record.changes_limited()) (void)co_await follow_nodes(ctx, sync);  // it reports its failure
    co_return deferred.with_retry_after(left);
  }
  record.not_before = milliseconds(0);
  const std::string& adopted = sync->intent.adopt_id;
  if (!adopted.empty() && !ownership_.may_adopt(*sync, adopted))
    refused = Ownership::adoption_refused(*sync);
  if (!refused.ok()) {
    announce(sync);
    refused.with_context("failed to ensure load balancer");
    Status reported = co_await reporting_.fail(ctx, sync, refused, kSyncFailed, true);
    co_return reported;
  }
  Status learned = co_await node_changes_.learn(ctx);
  if (!learned.ok()) {
    learned.with_context("failed to find the instances of the Nodes");
    Status reported =
        co_await reporting_.fail(ctx, sync, learned, kSyncFailed, sync->service.ingress.empty());
    co_return reported;
  }
  sync->backends = members_.current();
  record.offered_hash = sync->backends->hash(record.node_labels);
  if (sync->backends->lost() && sync->exists()) {
    Status kept = co_await keep_members(ctx, sync);
    co_return kept;
  }
  Wanted wanted{sync->hash, record.offered_hash};
  const Step step = next_step(record, sync->service, sync->options.id_annotation, wanted,
                              settings_.audit_period > milliseconds(0), now);
  Status status;
  switch (step) {
    case Step::none:
      status = co_await reporting_.update_status(ctx, sync);
      break;
    case Step::observe:
      status = co_await observe_cloud(ctx, sync);
      break;
    case Step::update_backends:
      status = co_await update_backends(ctx, sync);
      break;
    case Step::ensure:
      status = co_await ensure(ctx, sync);
      break;
  }
  co_return status;
}

// Reads the cloud. After a restart, and in each audit, nothing is written when nothing differs.
Task<Status> LoadBalancerSync::observe_cloud(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  const bool audit = record.applied();
  const auto answer =
      co_await host_.load_balancers.observe(ctx, sync->intent, sync->backends->backends);
  if (elsewhere(answer.status())) {
    Status left = co_await left_to_others(sync);
    co_return left;
  }
  if (!answer.ok()) {
    if (audit) {  // it works as far as known, so an Event would only worry
      host_.log.v(2, "Could not audit a load balancer",
                  {{"service", sync->key}, {"err", answer.status()}});
      record.audit_due = host_.timer.now() + audit_pause(settings_.audit_period, sync->key);
      co_return Status();
    }
    Status failed = answer.status();
    failed.with_context("failed to look at the load balancer");
    Status reported =
        co_await reporting_.fail(ctx, sync, failed, kSyncFailed, sync->service.ingress.empty());
    co_return reported;
  }
  if (answer->state == LoadBalancerState::unknown) co_return reporting_.in_time(*sync, not_known());
  if (record.state == SyncState::unknown) record.state = SyncState::out_of_sync;
  const bool right = serves(*answer) && answer->difference.empty() && !answer->ingress.empty();
  if (right) {
    LoadBalancer found = *answer;
    Status taken = co_await take_answer(ctx, sync, std::move(found));
    co_return taken;
  }
  if (serves(*answer)) record.ingress = as_stored(answer->ingress);
  const bool is_foreign = answer->state == LoadBalancerState::foreign;
  if (is_foreign && !ownership_.may_adopt(*sync, sync->intent.id)) {
    record.state = SyncState::out_of_sync;
    Status reported =
        co_await reporting_.fail(ctx, sync, Ownership::foreign(*sync), kSyncFailed, true);
    co_return reported;
  }
  if (audit && !is_foreign && answer->state != LoadBalancerState::pending) {
    const bool gone = answer->state == LoadBalancerState::absent;
    const std::string what = gone ? "is gone" : "was changed: " + answer->difference;
    host_.log.warning("Load balancer differs from its service",
                      {{"service", sync->key}, {"difference", what}});
    events_.warning(sync->object, kDrift,
                    "The load balancer " + what + " in the cloud; restoring it");
  }
  Status ensured = co_await ensure(ctx, sync);
  co_return ensured;
}

void LoadBalancerSync::announce(const SyncPtr& sync) const {
  const SyncState state = sync->record->state;
  if (state == SyncState::ensuring || state == SyncState::ensured) return;
  events_.normal(sync->object, kEnsuring, "Ensuring load balancer");
  if (sync->backends && sync->backends->backends.empty()) {  // SVC-22
    sync->record->reported_no_members.clear();
    reporting_.report_no_members(*sync);
  }
}

// Nobody took these Nodes out, but the cloud does not show their instances. A load balancer that
// serves goes on.
Task<Status> LoadBalancerSync::keep_members(Ctx ctx, SyncPtr sync) {
  Status kept(Code::failed_precondition, ErrorClass::unavailable,
              std::string(kNoNodes) + ": " + sync->backends->why_none() +
                  ". The load balancer stays as it is");
  kept.with_reason(std::string(kNoMembers));
  Status reported = co_await reporting_.fail(ctx, sync, std::move(kept), kUnavailable, true);
  co_return reported;
}

// The host's brake keeps the last members. A Node that comes back ends it at once.
Task<Status> LoadBalancerSync::hold_members(Ctx ctx, SyncPtr sync, Status held) {
  Record& record = *sync->record;
  record.state = SyncState::ensuring;  // a whole `ensure` comes next, and is not announced again
  if (std::exchange(record.reported_no_members, kHostsBrake) != kHostsBrake) {
    events_.warning(sync->object, kDeletionHeld, held.message());
  }
  Status waiting =
      co_await reporting_.wait(ctx, sync, std::move(held), kDeletionHeld, ServicePatch());
  record.not_before = milliseconds(0);
  co_return waiting;
}

// Some providers refuse to work without Nodes, and cannot know why there are none.
void LoadBalancerSync::add_why_none(const Sync& sync, Status& failed) {
  if (!sync.backends->backends.empty() || failed.code() != Code::failed_precondition) return;
  failed.with_context(sync.backends->why_none());
}

Task<Status> LoadBalancerSync::ensure(Ctx ctx, SyncPtr sync) {
  const SyncState before = sync->record->state;
  if (sync->record->deferred.reason() != kHostsChangesLimited) announce(sync);  // else it was
  Status added = co_await add_finalizer(ctx, sync);                             // SVC-21
  if (!added.ok()) {
    if (added.error_class() == ErrorClass::not_found) co_return Status();
    added.with_context("failed to add load balancer cleanup finalizer");
    Status reported = co_await reporting_.fail(ctx, sync, added, kSyncFailed, false);
    co_return reported;
  }
  sync->record->state = SyncState::ensuring;
  const auto answer = co_await ownership_.ensure(ctx, sync);
  if (elsewhere(answer.status())) {
    Status left = co_await left_to_others(sync);
    co_return left;
  }
  if (!answer.ok()) {
    Status failed = answer.status();
    if (failed.reason() == kProvidersNotOwned) failed = Ownership::foreign(*sync);
    (void)co_await record_partial(ctx, sync, answer);  // it reports what it cannot do
    if (failed.reason() == kHostsBrake) {
      Status held = co_await hold_members(ctx, sync, std::move(failed));
      co_return held;
    }
    if (failed.reason() == kHostsChangesLimited || failed.reason() == kHostsReplacementHeld) {
      Status held = co_await not_now(ctx, sync, failed, before);
      co_return held;
    }
    if (failed.error_class() == ErrorClass::waiting) {
      Status waiting = co_await reporting_.wait(ctx, sync, failed, kEnsuring, ServicePatch());
      co_return waiting;
    }
    add_why_none(*sync, failed);
    failed.with_context("failed to ensure load balancer");
    Status reported = co_await reporting_.fail(ctx, sync, failed, kSyncFailed, true);
    co_return reported;
  }
  LoadBalancer ensured = *answer;
  Status taken = co_await take_answer(ctx, sync, std::move(ensured));
  co_return taken;
}

// The host did not send the request. The cloud still has what it had before.
Task<Status> LoadBalancerSync::not_now(Ctx ctx, SyncPtr sync, Status why, SyncState before) {
  Record& record = *sync->record;
  if (before != SyncState::unknown) record.state = before;
  const bool held = why.reason() == kHostsReplacementHeld;
  if (held && record.deferred.message() != why.message()) {
    events_.warning(sync->object, kReplacementHeld, why.message());
  }
  Status waiting = co_await reporting_.wait(ctx, sync, std::move(why), kEnsuring, ServicePatch());
  if (record.changes_limited()) (void)co_await follow_nodes(ctx, sync);  // it reports its failure
  co_return waiting;
}

Task<Status> LoadBalancerSync::follow_nodes(Ctx ctx, SyncPtr sync) {
  const Record& record = *sync->record;
  if (record.ingress.empty()) co_return Status();
  if (!members_.settled()) (void)co_await members_.learn(ctx);  // a later try reports it
  if (!members_.settled()) co_return Status();
  sync->backends = members_.current();
  const bool same = record.backend_hash == sync->backends->hash(record.node_labels);
  if (same || sync->backends->lost()) co_return Status();
  Status followed = co_await update_backends(ctx, sync);
  co_return followed;
}

// A failed operation may have made a load balancer: its id must not be lost.
Task<Status> LoadBalancerSync::record_partial(Ctx ctx, SyncPtr sync, Result<LoadBalancer> answer) {
  const LoadBalancer* made = answer.partial();
  if (made == nullptr || made->id.empty()) co_return Status();
  remember(sync, *made);
  ServicePatch patch = sync->annotations();
  if (patch.empty()) co_return Status();
  Status written = co_await writer_.write(ctx, sync, std::move(patch));
  if (!written.ok()) {
    host_.log.error("Could not record what a failed operation has made",
                    {{"service", sync->key}, {"id", made->id}, {"err", written}});
  }
  co_return written;
}

Task<Status> LoadBalancerSync::add_finalizer(Ctx ctx, SyncPtr sync) {
  if (sync->service.finalizer) co_return Status();
  ServicePatch patch;
  patch.finalizer = ServicePatch::Finalizer::add;
  Status written = co_await writer_.write(ctx, sync, std::move(patch));
  // Deletion has begun meanwhile; its event brings the Service back.
  if (written.error_class() == ErrorClass::invalid_spec) written.with_class(ErrorClass::none);
  co_return written;
}

// SVC-24: nothing is written, and the cloud is not asked again before the Service changes.
Task<Status> LoadBalancerSync::left_to_others(SyncPtr sync) {
  sync->record->state = SyncState::elsewhere;
  remember_request(sync);
  co_return Status();
}

void LoadBalancerSync::remember(const SyncPtr& sync, const LoadBalancer& answer) {
  Record& record = *sync->record;
  const std::string& before = sync->intent.id;
  if (!before.empty() && !answer.id.empty() && before != answer.id) {
    events_.warning(sync->object, kReplaced,
                    "The Service has load balancer " + answer.id + " now. Load balancer " + before +
                        ", if it still exists, is no longer managed");
  }
  if (!answer.id.empty() && record.id.empty() && before.empty()) {
    host_.log.info("New load balancer of a service", {{"service", sync->key}, {"id", answer.id}});
  }
  if (!answer.id.empty()) record.id = answer.id;
  record.annotations = answer.annotations;
  sync->options.known_id = record.id;
}

// By which labels the provider chose among the backends, and with which result.
void LoadBalancerSync::remember_members(const SyncPtr& sync, const LoadBalancer& answer) {
  Record& record = *sync->record;
  std::vector<std::string> labels = answer.node_labels;
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  members_.watch_labels(record.node_labels, labels);
  record.node_labels = std::move(labels);
  record.no_members = answer.no_members;
  record.backend_hash = sync->backends->hash(record.node_labels);
  record.offered_hash = record.backend_hash;
}

void LoadBalancerSync::remember_request(const SyncPtr& sync) const {
  Record& record = *sync->record;
  // Hashes the Service with this controller's annotations already on it.
  ServiceState service = sync->requested;
  if (!record.id.empty()) service.annotations.erase(sync->options.id_annotation);
  for (const Label& annotation : record.annotations) service.annotations.erase(annotation.key);
  LoadBalancerService intent = sync->intent;
  if (intent.adopt_id == record.id) intent.adopt_id.clear();
  record.intent_hash = intent_hash(intent, service, sync->options, record.annotations);
  record.backend_hash = sync->backends->hash(record.node_labels);
  record.update.reset();
  record.audit_due = host_.timer.now() + audit_pause(settings_.audit_period, sync->key);
  record.not_before = milliseconds(0);
  record.deferred = Status();
}

Task<Status> LoadBalancerSync::take_answer(Ctx ctx, SyncPtr sync, LoadBalancer answer) {
  Record& record = *sync->record;
  switch (answer.state) {
    case LoadBalancerState::absent: {
      Status none(Code::internal, "the cloud provider made no load balancer and no error either");
      none.with_context("failed to ensure load balancer");  // SVC-26
      Status reported = co_await reporting_.fail(ctx, sync, none, kSyncFailed, true);
      co_return reported;
    }
    case LoadBalancerState::foreign: {
      Status reported =
          co_await reporting_.fail(ctx, sync, Ownership::foreign(*sync), kSyncFailed, true);
      co_return reported;
    }
    case LoadBalancerState::pending: {
      Status waiting = co_await pending(ctx, sync, std::move(answer));
      co_return waiting;
    }
    case LoadBalancerState::unknown:
      co_return reporting_.in_time(*sync, not_known());
    case LoadBalancerState::active:
    case LoadBalancerState::shared:
      break;
  }
  if (answer.ingress.empty()) {
    Status waiting = co_await pending(ctx, sync, std::move(answer));
    co_return waiting;
  }
  remember(sync, answer);
  remember_members(sync, answer);
  record.ingress = as_stored(answer.ingress);
  const bool announced = record.state == SyncState::ensuring || record.state == SyncState::ensured;
  record.state = announced ? SyncState::ensured : SyncState::synced;
  remember_request(sync);
  if (!answer.difference.empty()) {
    host_.log.info("Changed a load balancer",
                   {{"service", sync->key}, {"id", record.id}, {"changed", answer.difference}});
  }
  Status settled = co_await reporting_.update_status(ctx, sync);
  co_return settled;
}

// The id is recorded at once, so that a manager that is killed now finds it again.
Task<Status> LoadBalancerSync::pending(Ctx ctx, SyncPtr sync, LoadBalancer answer) {
  remember(sync, answer);
  std::string message = serves(answer) ? "The " + named(answer) + " has no address yet"
                                       : "The cloud is working on the " + named(answer);
  Status waiting(Code::unavailable, ErrorClass::waiting, std::move(message));
  waiting.with_retry_after(answer.retry_after);
  ServicePatch patch = sync->annotations();
  Status reported =
      co_await reporting_.wait(ctx, sync, std::move(waiting), kEnsuring, std::move(patch));
  co_return reported;
}

Task<Status> LoadBalancerSync::update_backends(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  if (!record.update) metrics_.updates.record(1);
  BackendUpdate update = record.update.value_or(BackendUpdate{host_.timer.now(), false});
  // Until the update ends, the cloud has neither the former backends nor the new ones.
  record.backend_hash = 0;
  const auto answer =
      co_await host_.load_balancers.update_backends(ctx, sync->intent, sync->backends->backends);
  const bool working = answer.ok() && (answer->state == LoadBalancerState::pending ||
                                       answer->state == LoadBalancerState::unknown);
  if (answer.ok()) update.changed = update.changed || !answer->difference.empty();
  if (working) {
    record.update = update;
  } else {
    record.update.reset();
    const milliseconds took = host_.timer.now() - update.begun;
    metrics_.update_duration.record(static_cast<double>(took.count()) / 1e3);
  }
  const auto& backends = sync->backends->backends;
  if (answer.ok() && serves(*answer)) {
    remember_members(sync, *answer);
    if (sync->no_members().empty() && update.changed) {  // SVC-60
      events_.normal(sync->object, kUpdated, "Updated load balancer with new hosts");
    }
    Status settled = co_await reporting_.update_status(ctx, sync);
    co_return settled;
  }
  if (answer.ok() && answer->state == LoadBalancerState::unknown)
    co_return reporting_.in_time(*sync, not_known());
  if (answer.ok() && answer->state == LoadBalancerState::pending) {
    Status waiting(Code::unavailable, ErrorClass::waiting, "the cloud changes the backends");
    waiting.with_retry_after(answer->retry_after);
    co_return reporting_.in_time(*sync, std::move(waiting));
  }
  if (elsewhere(answer.status())) {  // SVC-61
    record.backend_hash = record.offered_hash;
    co_return Status();
  }
  if (answer.ok() || answer.status().error_class() == ErrorClass::not_found) {
    if (record.changes_limited()) co_return Status();
    // Gone or changed hands: no failure of this update (SVC-62); a whole `ensure` follows.
    Status ensured = co_await ensure(ctx, sync);
    co_return ensured;
  }
  if (answer.status().reason() == kHostsBrake) {
    Status held = co_await hold_members(ctx, sync, answer.status());
    co_return held;
  }
  metrics_.failed_updates.record(1);
  record.state = SyncState::out_of_sync;  // SVC-59: a whole `ensure` comes next
  Status failed = answer.status();
  add_why_none(*sync, failed);
  failed.with_context("failed to update load balancer hosts " + node_names(backends) + " (" +
                      std::to_string(backends.size()) + ")");
  Status reported = co_await reporting_.fail(ctx, sync, failed, kUpdateFailed, false);
  co_return reported;
}

}  // namespace ccm::service
