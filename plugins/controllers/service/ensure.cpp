#include "conditions.hpp"
#include "controller.hpp"
#include "hash.hpp"
#include "ingress.hpp"
#include "names.hpp"
#include "texts.hpp"

#include <algorithm>
#include <utility>

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

constexpr std::string_view kNoNodes = "There are no available nodes for LoadBalancer";

std::string named(const LoadBalancer& answer) {
  const std::string& text = answer.name.empty() ? answer.id : answer.name;
  return text.empty() ? "load balancer" : "load balancer " + text;
}

Status not_ours(std::string text) {
  return Status(Code::failed_precondition, ErrorClass::invalid_spec, std::move(text))
      .with_reason(std::string(kNotOwned));
}

std::string permission_hint(const ServiceState& service) {
  return "An administrator can let this Service take it over: --load-balancer-adoption=" +
         service.key();
}

Status another_has_it() {
  return not_ours(
      "the load balancer that it asks for is another Service's of this cluster, and serves one "
      "Service only");
}

}  // namespace

Task<Status> Controller::sync_load_balancer(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  tell_not_retained(*sync);
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
    if (record.waits_for_turn()) (void)co_await follow_nodes(ctx, sync);  // it tells its failure
    co_return deferred.with_retry_after(left);
  }
  record.not_before = milliseconds(0);
  const std::string& adopted = sync->intent.adopt_id;
  if (!adopted.empty() && !may_adopt(*sync, adopted)) refused = adoption_refused(*sync);
  if (!refused.ok()) {
    announce(sync);
    refused.with_context("failed to ensure load balancer");
    Status told = co_await fail(ctx, sync, refused, kSyncFailed, true);
    co_return told;
  }
  Status learned = co_await know_nodes(ctx);
  if (!learned.ok()) {
    learned.with_context("failed to find the instances of the Nodes");
    Status told = co_await fail(ctx, sync, learned, kSyncFailed, sync->service.ingress.empty());
    co_return told;
  }
  sync->backends = members_.current();
  record.offered_hash = sync->backends->hash(record.node_labels);
  if (sync->backends->lost() && exists(*sync)) {
    Status kept = co_await keep_members(ctx, sync);
    co_return kept;
  }
  Wanted wanted{sync->hash, record.offered_hash};
  const Step step = next_step(record, sync->service, sync->options.id_annotation, wanted,
                              settings_.audit_period > milliseconds(0), now);
  Status status;
  switch (step) {
    case Step::none:
      status = co_await update_status(ctx, sync);
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
Task<Status> Controller::observe_cloud(Ctx ctx, SyncPtr sync) {
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
    Status told = co_await fail(ctx, sync, failed, kSyncFailed, sync->service.ingress.empty());
    co_return told;
  }
  if (answer->state == LoadBalancerState::unknown) co_return in_time(*sync, not_known());
  if (record.state == SyncState::unknown) record.state = SyncState::out_of_sync;
  const bool right = serves(*answer) && answer->difference.empty() && !answer->ingress.empty();
  if (right) {
    LoadBalancer found = *answer;
    Status taken = co_await take_answer(ctx, sync, std::move(found));
    co_return taken;
  }
  if (serves(*answer)) record.ingress = as_stored(answer->ingress);
  const bool is_foreign = answer->state == LoadBalancerState::foreign;
  if (is_foreign && !may_adopt(*sync, sync->intent.id)) {
    record.state = SyncState::out_of_sync;
    Status told = co_await fail(ctx, sync, foreign(*sync), kSyncFailed, true);
    co_return told;
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

void Controller::announce(const SyncPtr& sync) const {
  const SyncState state = sync->record->state;
  if (state == SyncState::ensuring || state == SyncState::ensured) return;
  events_.normal(sync->object, kEnsuring, "Ensuring load balancer");
  if (sync->backends && sync->backends->backends.empty()) {  // SVC-22
    sync->record->told_no_members.clear();
    tell_no_members(sync);
  }
}

// Nobody took these Nodes out, but the cloud does not show their instances. A load balancer that
// serves goes on.
Task<Status> Controller::keep_members(Ctx ctx, SyncPtr sync) {
  Status kept(Code::failed_precondition, ErrorClass::unavailable,
              std::string(kNoNodes) + ": " + sync->backends->why_none() +
                  ". The load balancer stays as it is");
  kept.with_reason(std::string(kNoMembers));
  Status told = co_await fail(ctx, sync, std::move(kept), kUnavailable, true);
  co_return told;
}

// The host's brake keeps the last members. A Node that comes back ends it at once.
Task<Status> Controller::hold_members(Ctx ctx, SyncPtr sync, Status held) {
  Record& record = *sync->record;
  record.state = SyncState::ensuring;  // a whole `ensure` comes next, and is not announced again
  if (std::exchange(record.told_no_members, kHostsBrake) != kHostsBrake) {
    events_.warning(sync->object, kDeletionHeld, held.message());
  }
  Status waiting = co_await wait(ctx, sync, std::move(held), kDeletionHeld, ServicePatch());
  record.not_before = milliseconds(0);
  co_return waiting;
}

std::string Controller::no_members(const Sync& sync) {
  if (!sync.backends) return {};
  return sync.backends->backends.empty() ? sync.backends->why_none() : sync.record->no_members;
}

bool Controller::exists(const Sync& sync) const {
  return sync.record->applied() || !sync.service.ingress.empty() ||
         !sync.service.annotation(sync.options.id_annotation).empty();
}

// Some providers refuse to work without Nodes, and cannot know why there are none.
void Controller::add_why_none(const Sync& sync, Status& failed) {
  if (!sync.backends->backends.empty() || failed.code() != Code::failed_precondition) return;
  failed.with_context(sync.backends->why_none());
}

// Once for each reason.
void Controller::tell_no_members(const SyncPtr& sync) const {
  const std::string text = no_members(*sync);
  if (std::exchange(sync->record->told_no_members, text) == text || text.empty()) return;
  events_.warning(sync->object, kUnavailable, std::string(kNoNodes) + ": " + text);
}

Task<Status> Controller::ensure(Ctx ctx, SyncPtr sync) {
  const SyncState before = sync->record->state;
  if (sync->record->deferred.reason() != kHostsChangesLimited) announce(sync);  // else it was
  Status added = co_await add_finalizer(ctx, sync);                             // SVC-21
  if (!added.ok()) {
    if (added.error_class() == ErrorClass::not_found) co_return Status();
    added.with_context("failed to add load balancer cleanup finalizer");
    Status told = co_await fail(ctx, sync, added, kSyncFailed, false);
    co_return told;
  }
  sync->record->state = SyncState::ensuring;
  const auto answer = co_await ask(ctx, sync);
  if (elsewhere(answer.status())) {
    Status left = co_await left_to_others(sync);
    co_return left;
  }
  if (!answer.ok()) {
    Status failed = answer.status();
    if (failed.reason() == kProvidersNotOwned) failed = foreign(*sync);
    (void)co_await record_partial(ctx, sync, answer);  // it tells what it cannot do
    if (failed.reason() == kHostsBrake) {
      Status held = co_await hold_members(ctx, sync, std::move(failed));
      co_return held;
    }
    if (failed.reason() == kHostsChangesLimited || failed.reason() == kHostsReplacementHeld) {
      Status held = co_await not_now(ctx, sync, failed, before);
      co_return held;
    }
    if (failed.error_class() == ErrorClass::waiting) {
      Status waiting = co_await wait(ctx, sync, failed, kEnsuring, ServicePatch());
      co_return waiting;
    }
    add_why_none(*sync, failed);
    failed.with_context("failed to ensure load balancer");
    Status told = co_await fail(ctx, sync, failed, kSyncFailed, true);
    co_return told;
  }
  LoadBalancer ensured = *answer;
  Status taken = co_await take_answer(ctx, sync, std::move(ensured));
  co_return taken;
}

// The host did not send the request. The cloud still has what it had before.
Task<Status> Controller::not_now(Ctx ctx, SyncPtr sync, Status why, SyncState before) {
  Record& record = *sync->record;
  if (before != SyncState::unknown) record.state = before;
  const bool held = why.reason() == kHostsReplacementHeld;
  if (held && record.deferred.message() != why.message()) {
    events_.warning(sync->object, kReplacementHeld, why.message());
  }
  Status waiting = co_await wait(ctx, sync, std::move(why), kEnsuring, ServicePatch());
  if (record.waits_for_turn()) (void)co_await follow_nodes(ctx, sync);  // it tells its failure
  co_return waiting;
}

Task<Status> Controller::follow_nodes(Ctx ctx, SyncPtr sync) {
  const Record& record = *sync->record;
  if (record.ingress.empty()) co_return Status();
  if (!members_.settled()) (void)co_await members_.learn(ctx);  // a later try tells its failure
  if (!members_.settled()) co_return Status();
  sync->backends = members_.current();
  const bool same = record.backend_hash == sync->backends->hash(record.node_labels);
  if (same || sync->backends->lost()) co_return Status();
  Status followed = co_await update_backends(ctx, sync);
  co_return followed;
}

// A failed operation may have made a load balancer: its id must not be lost.
Task<Status> Controller::record_partial(Ctx ctx, SyncPtr sync, Result<LoadBalancer> answer) {
  const LoadBalancer* made = answer.partial();
  if (made == nullptr || made->id.empty()) co_return Status();
  remember(sync, *made);
  ServicePatch patch = annotated(*sync);
  if (patch.empty()) co_return Status();
  Status written = co_await write(ctx, sync, std::move(patch));
  if (!written.ok()) {
    host_.log.error("Could not record what a failed operation has made",
                    {{"service", sync->key}, {"id", made->id}, {"err", written}});
  }
  co_return written;
}

Task<Status> Controller::add_finalizer(Ctx ctx, SyncPtr sync) {
  if (sync->service.finalizer) co_return Status();
  ServicePatch patch;
  patch.finalizer = ServicePatch::Finalizer::add;
  Status written = co_await write(ctx, sync, std::move(patch));
  // Deletion has begun meanwhile; its event brings the Service back.
  if (written.error_class() == ErrorClass::invalid_spec) written.with_class(ErrorClass::none);
  co_return written;
}

// SVC-24: nothing is written, and the cloud is not asked again before the Service changes.
Task<Status> Controller::left_to_others(SyncPtr sync) {
  sync->record->state = SyncState::elsewhere;
  remember_request(sync);
  co_return Status();
}

void Controller::remember(const SyncPtr& sync, const LoadBalancer& answer) {
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
void Controller::remember_members(const SyncPtr& sync, const LoadBalancer& answer) {
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

void Controller::remember_request(const SyncPtr& sync) const {
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

Task<Status> Controller::take_answer(Ctx ctx, SyncPtr sync, LoadBalancer answer) {
  Record& record = *sync->record;
  switch (answer.state) {
    case LoadBalancerState::absent: {
      Status none(Code::internal, "the cloud provider made no load balancer and no error either");
      none.with_context("failed to ensure load balancer");  // SVC-26
      Status told = co_await fail(ctx, sync, none, kSyncFailed, true);
      co_return told;
    }
    case LoadBalancerState::foreign: {
      Status told = co_await fail(ctx, sync, foreign(*sync), kSyncFailed, true);
      co_return told;
    }
    case LoadBalancerState::pending: {
      Status waiting = co_await pending(ctx, sync, std::move(answer));
      co_return waiting;
    }
    case LoadBalancerState::unknown:
      co_return in_time(*sync, not_known());
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
  Status settled = co_await update_status(ctx, sync);
  co_return settled;
}

// The id is recorded at once, so that a manager that is killed now finds it again.
Task<Status> Controller::pending(Ctx ctx, SyncPtr sync, LoadBalancer answer) {
  remember(sync, answer);
  std::string message = serves(answer) ? "The " + named(answer) + " has no address yet"
                                       : "The cloud is working on the " + named(answer);
  Status waiting(Code::unavailable, ErrorClass::waiting, std::move(message));
  waiting.with_retry_after(answer.retry_after);
  ServicePatch patch = annotated(*sync);
  Status told = co_await wait(ctx, sync, std::move(waiting), kEnsuring, std::move(patch));
  co_return told;
}

ServicePatch Controller::annotated(const Sync& sync) const {
  ServicePatch patch;
  const Record& record = *sync.record;
  if (!record.id.empty()) patch.annotate(sync.service, *id_annotation_, record.id);
  for (const Label& annotation : record.annotations) {
    patch.annotate(sync.service, annotation.key, annotation.value);
  }
  return patch;
}

// Writes the load balancer's state to the Service; only differences.
Task<Status> Controller::update_status(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  record.polled_hash = 0;
  if (record.state == SyncState::elsewhere) co_return Status();
  const milliseconds time = host_.timer.wall_clock();
  ServicePatch patch = annotated(*sync);
  if (!sync->service.finalizer) patch.finalizer = ServicePatch::Finalizer::add;
  patch.set_ingress(sync->service, record.ingress);
  const Condition* stored = sync->service.condition(kReadyCondition);
  const std::string nobody = no_members(*sync);
  if (record.waits_for_turn()) {
    // The condition says that, and goes on saying it.
  } else if (!nobody.empty()) {
    Condition wanted = ready(false, kNoMembers, std::string(kNoNodes) + ": " + nobody);
    if (difference(stored, wanted) != Difference::none) {
      patch.conditions.push_back(timed(stored, std::move(wanted), time));
    }
  } else if (patch.ingress || (stored != nullptr && !stored->holds)) {
    // A correct status is not written only to add a condition to it.
    Condition wanted = ready(true, kEnsured, "The load balancer is ready");
    patch.conditions.push_back(timed(stored, std::move(wanted), time));
  }
  tell_no_members(sync);
  const Condition* refused = sync->service.condition(kPortsErrorCondition);
  if (auto wanted = ports_error(record.ingress)) {
    if (difference(refused, *wanted) != Difference::none) {
      patch.conditions.push_back(timed(refused, *std::move(wanted), time));
    }
  } else {
    patch.remove_condition(sync->service, kPortsErrorCondition);
  }
  const bool first_address = patch.ingress && sync->service.ingress.empty();
  if (!patch.empty()) {
    Status written = co_await write(ctx, sync, std::move(patch));
    if (written.ok() && first_address) {
      time_to_address_.addressed(record.uid, host_.timer.wall_clock());
    }
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to update load balancer status");
      Status told = co_await fail(ctx, sync, written, kSyncFailed, false);
      co_return told;
    }
  }
  // The cloud has the Nodes, but not the change: what was to be done about it is still to be done.
  if (record.waits_for_turn()) co_return Status();
  if (std::exchange(record.state, SyncState::synced) == SyncState::ensured) {
    events_.normal(sync->object, kEnsured, "Ensured load balancer");  // SVC-27
  }
  co_return Status();
}

Task<Status> Controller::update_backends(Ctx ctx, SyncPtr sync) {
  Record& record = *sync->record;
  if (!record.update) updates_.record(1);
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
    update_duration_.record(static_cast<double>(took.count()) / 1e3);
  }
  const auto& backends = sync->backends->backends;
  if (answer.ok() && serves(*answer)) {
    remember_members(sync, *answer);
    if (no_members(*sync).empty() && update.changed) {  // SVC-60
      events_.normal(sync->object, kUpdated, "Updated load balancer with new hosts");
    }
    Status settled = co_await update_status(ctx, sync);
    co_return settled;
  }
  if (answer.ok() && answer->state == LoadBalancerState::unknown)
    co_return in_time(*sync, not_known());
  if (answer.ok() && answer->state == LoadBalancerState::pending) {
    Status waiting(Code::unavailable, ErrorClass::waiting, "the cloud changes the backends");
    waiting.with_retry_after(answer->retry_after);
    co_return in_time(*sync, std::move(waiting));
  }
  if (elsewhere(answer.status())) {  // SVC-61
    record.backend_hash = record.offered_hash;
    co_return Status();
  }
  if (answer.ok() || answer.status().error_class() == ErrorClass::not_found) {
    if (record.waits_for_turn()) co_return Status();
    // Gone or changed hands: no failure of this update (SVC-62); a whole `ensure` follows.
    Status ensured = co_await ensure(ctx, sync);
    co_return ensured;
  }
  if (answer.status().reason() == kHostsBrake) {
    Status held = co_await hold_members(ctx, sync, answer.status());
    co_return held;
  }
  failed_updates_.record(1);
  record.state = SyncState::out_of_sync;  // SVC-59: a whole `ensure` comes next
  Status failed = answer.status();
  add_why_none(*sync, failed);
  failed.with_context("failed to update load balancer hosts " + node_names(backends) + " (" +
                      std::to_string(backends.size()) + ")");
  Status told = co_await fail(ctx, sync, failed, kUpdateFailed, false);
  co_return told;
}

Task<Result<LoadBalancer>> Controller::ask(Ctx ctx, SyncPtr sync) {
  auto answer = co_await ask_once(ctx, sync);
  const bool foreign = answer.ok() && answer->state == LoadBalancerState::foreign;
  if (!foreign || !sync->intent.adopt_id.empty() || !may_adopt(*sync, sync->intent.id)) {
    co_return answer;
  }
  sync->intent.adopt_id = sync->intent.id;
  auto adopted = co_await ask_once(ctx, sync);
  co_return adopted;
}

Task<Result<LoadBalancer>> Controller::ask_once(Ctx ctx, SyncPtr sync) {
  const std::string& adopted = sync->intent.adopt_id;
  if (!adopted.empty() && another_has(*sync, adopted)) co_return another_has_it();
  sync->record->adopting = adopted;
  const auto answer =
      co_await host_.load_balancers.ensure(ctx, sync->intent, sync->backends->backends);
  sync->record->adopting.clear();
  co_return answer;
}

bool Controller::may_adopt(const Sync& sync, std::string_view id) const {
  return !id.empty() &&
         settings_.adoption.allow(sync.service.namespace_name, sync.service.name, id);
}

// One load balancer serves one Service: not one that another Service has, is taking over right now,
// or had before this process looked.
bool Controller::another_has(const Sync& sync, std::string_view id) const {
  for (const auto& [key, record] : records_) {
    if (key != sync.key && (record->id == id || record->adopting == id)) return true;
  }
  bool found = false;
  host_.kube.cached_each(kServices, {}, [&](const Object& object) {
    if (object.uid() == sync.service.uid) return true;
    const ServiceState other = read_service(object);
    found = other.load_balancer && !other.ingress.empty() &&
            other.annotation(sync.options.id_annotation) == id;
    return !found;
  });
  return found;
}

Status Controller::adoption_refused(const Sync& sync) {
  return not_ours("the annotation " + std::string(kAdoptAnnotation) + " is not followed. " +
                  permission_hint(sync.service));
}

// Users of a Service must not learn the ids of other owners' load balancers.
Status Controller::foreign(const Sync& sync) {
  std::string text =
      "the load balancer that bears this Service's name is marked as somebody else's";
  if (!sync.intent.id.empty()) {
    text = "the load balancer that the annotation " + sync.options.id_annotation +
           " names is not this Service's: remove the annotation to get a new one";
  }
  return not_ours(text + ". It is left alone. " + permission_hint(sync.service));
}

}  // namespace ccm::service
