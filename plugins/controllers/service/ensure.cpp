#include "conditions.hpp"
#include "controller.hpp"
#include "hash.hpp"
#include "ingress.hpp"
#include "names.hpp"
#include "texts.hpp"

#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPendingRetry{2'000};

bool elsewhere(const Status& status) { return status.code() == Code::implemented_elsewhere; }

std::string named(const LoadBalancer& answer) {
  const std::string& text = answer.name.empty() ? answer.id : answer.name;
  return text.empty() ? "load balancer" : "load balancer " + text;
}

}  // namespace

Task<Status> Controller::keep(Ctx ctx, TurnPtr turn) {
  Record& record = *turn->record;
  const LoadBalancerClass* balancer_class = settings_.classes.find(turn->service.class_name);
  turn->backends = backends();
  auto intent = make_intent(turn->object, turn->service, *balancer_class, turn->surroundings);
  if (intent.ok()) {
    turn->intent = *std::move(intent);
    turn->hash = intent_hash(turn->intent, turn->service, turn->surroundings, record.annotations);
  } else {
    turn->hash = Hash().add(intent.status().message()).value();
  }
  const milliseconds now = host_.timer.now();
  const milliseconds left = hold_left(record, turn->hash, now);
  if (left > milliseconds(0)) {
    Status held = record.held;
    co_return held.with_retry_after(left);
  }
  Status refused = intent.status();
  const std::string& adopted = turn->intent.adopt_id;
  if (!adopted.empty() && !may_adopt(*turn, adopted)) refused = adoption_refused(*turn);
  if (!refused.ok()) {
    announce(turn);
    refused.with_context("failed to ensure load balancer");
    Status told = co_await fail(ctx, turn, refused, kSyncFailed, true);
    co_return told;
  }
  Wanted wanted{turn->hash, turn->backends.hash};
  const Step step = next_step(record, turn->service, turn->surroundings.id_annotation, wanted,
                              settings_.audit_period > milliseconds(0), now);
  Status status;
  switch (step) {
    case Step::none:
      status = co_await settle(ctx, turn);
      break;
    case Step::look:
      status = co_await look(ctx, turn);
      break;
    case Step::update_backends:
      status = co_await update_backends(ctx, turn);
      break;
    case Step::ensure:
      status = co_await ensure(ctx, turn);
      break;
  }
  co_return status;
}

// Reads the cloud. After a restart, and in each audit, that is all when nothing differs.
Task<Status> Controller::look(Ctx ctx, TurnPtr turn) {
  Record& record = *turn->record;
  const bool audit = record.applied;
  const auto answer =
      co_await host_.load_balancers.observe(ctx, turn->intent, turn->backends.backends);
  if (elsewhere(answer.status())) {
    Status left = co_await left_to_others(turn);
    co_return left;
  }
  if (!answer.ok()) {
    if (audit) {  // it serves as far as is known, so an Event would only worry
      host_.log.v(2, "Could not audit a load balancer",
                  {{"service", turn->key}, {"err", answer.status()}});
      record.audit_due = host_.timer.now() + audit_pause(settings_.audit_period, turn->key);
      co_return Status();
    }
    Status failed = answer.status();
    failed.with_context("failed to look at the load balancer");
    Status told = co_await fail(ctx, turn, failed, kSyncFailed, turn->service.ingress.empty());
    co_return told;
  }
  record.looked = true;
  const bool right = answer->state == LoadBalancerState::active && answer->difference.empty() &&
                     !answer->ingress.empty();
  if (right) {
    LoadBalancer found = *answer;
    Status taken = co_await take_answer(ctx, turn, std::move(found));
    co_return taken;
  }
  const bool is_foreign = answer->state == LoadBalancerState::foreign;
  if (is_foreign && !may_adopt(*turn, turn->intent.id)) {
    record.applied = false;
    Status told = co_await fail(ctx, turn, foreign(*turn), kSyncFailed, true);
    co_return told;
  }
  if (audit && !is_foreign && answer->state != LoadBalancerState::pending) {
    const bool gone = answer->state == LoadBalancerState::absent;
    const std::string what = gone ? "is gone" : "was changed: " + answer->difference;
    host_.log.warning("Load balancer differs from its service",
                      {{"service", turn->key}, {"difference", what}});
    events_.warning(turn->object, kDrift,
                    "The load balancer " + what + " in the cloud; restoring it");
  }
  Status ensured = co_await ensure(ctx, turn);
  co_return ensured;
}

void Controller::announce(const TurnPtr& turn) const {
  if (std::exchange(turn->record->announced, true)) return;
  events_.normal(turn->object, kEnsuring, "Ensuring load balancer");
  if (turn->backends.backends.empty()) {  // SVC-22
    events_.warning(turn->object, kUnavailable, "There are no available nodes for LoadBalancer");
  }
}

Task<Status> Controller::ensure(Ctx ctx, TurnPtr turn) {
  announce(turn);
  Status added = co_await add_finalizer(ctx, turn);  // SVC-21
  if (!added.ok()) {
    if (added.error_class() == ErrorClass::not_found) co_return Status();
    added.with_context("failed to add load balancer cleanup finalizer");
    Status told = co_await fail(ctx, turn, added, kSyncFailed, false);
    co_return told;
  }
  turn->record->applied = false;
  const auto answer = co_await ask(ctx, turn);
  if (elsewhere(answer.status())) {
    Status left = co_await left_to_others(turn);
    co_return left;
  }
  turn->record->looked = true;
  if (!answer.ok()) {
    Status failed = answer.status();
    if (failed.reason() == kProvidersNotOwned) failed = foreign(*turn);
    if (failed.error_class() == ErrorClass::waiting) {
      Status waiting = co_await wait(ctx, turn, failed, kEnsuring, ServicePatch());
      co_return waiting;
    }
    failed.with_context("failed to ensure load balancer");
    Status told = co_await fail(ctx, turn, failed, kSyncFailed, true);
    co_return told;
  }
  LoadBalancer ensured = *answer;
  Status taken = co_await take_answer(ctx, turn, std::move(ensured));
  co_return taken;
}

Task<Status> Controller::add_finalizer(Ctx ctx, TurnPtr turn) {
  if (turn->service.finalizer) co_return Status();
  ServicePatch patch;
  patch.finalizer = ServicePatch::Finalizer::add;
  Status written = co_await write(ctx, turn, std::move(patch));
  // Deletion has begun meanwhile; its event brings the Service back.
  if (written.error_class() == ErrorClass::invalid_spec) written.with_class(ErrorClass::none);
  co_return written;
}

// SVC-24: nothing is written, and nothing asked again before the Service changes.
Task<Status> Controller::left_to_others(TurnPtr turn) {
  turn->record->looked = true;
  turn->record->elsewhere = true;
  turn->record->announced = false;
  applied(turn);
  co_return Status();
}

void Controller::remember(const TurnPtr& turn, const LoadBalancer& answer) const {
  Record& record = *turn->record;
  const std::string& before = turn->intent.id;
  if (!before.empty() && !answer.id.empty() && before != answer.id) {
    events_.warning(turn->object, kReplaced,
                    "The Service has load balancer " + answer.id + " now. Load balancer " + before +
                        ", if it still exists, is not looked after any more");
  }
  if (!answer.id.empty() && record.id.empty() && before.empty()) {
    host_.log.info("New load balancer of a service", {{"service", turn->key}, {"id", answer.id}});
  }
  if (!answer.id.empty()) record.id = answer.id;
  record.annotations = answer.annotations;
  turn->surroundings.known_id = record.id;
}

void Controller::applied(const TurnPtr& turn) const {
  Record& record = *turn->record;
  record.applied = true;
  // Of the Service as it is once this controller's annotations are on it.
  ServiceState service = turn->service;
  if (!record.id.empty()) service.annotations.erase(turn->surroundings.id_annotation);
  for (const Label& annotation : record.annotations) service.annotations.erase(annotation.key);
  LoadBalancerService intent = turn->intent;
  if (intent.adopt_id == record.id) intent.adopt_id.clear();
  record.intent_hash = intent_hash(intent, service, turn->surroundings, record.annotations);
  record.backend_hash = turn->backends.hash;
  record.audit_due = host_.timer.now() + audit_pause(settings_.audit_period, turn->key);
  record.not_before = milliseconds(0);
}

Task<Status> Controller::take_answer(Ctx ctx, TurnPtr turn, LoadBalancer answer) {
  Record& record = *turn->record;
  switch (answer.state) {
    case LoadBalancerState::absent: {
      Status none(Code::internal, "the cloud provider made no load balancer and no error either");
      none.with_context("failed to ensure load balancer");  // SVC-26
      Status told = co_await fail(ctx, turn, none, kSyncFailed, true);
      co_return told;
    }
    case LoadBalancerState::foreign: {
      Status told = co_await fail(ctx, turn, foreign(*turn), kSyncFailed, true);
      co_return told;
    }
    case LoadBalancerState::pending: {
      Status waiting = co_await pending(ctx, turn, std::move(answer));
      co_return waiting;
    }
    case LoadBalancerState::active:
      break;
  }
  if (answer.ingress.empty()) {
    Status waiting = co_await pending(ctx, turn, std::move(answer));
    co_return waiting;
  }
  remember(turn, answer);
  record.ingress = as_stored(answer.ingress);
  record.elsewhere = false;
  applied(turn);
  if (!answer.difference.empty()) {
    host_.log.info("Changed a load balancer",
                   {{"service", turn->key}, {"id", record.id}, {"changed", answer.difference}});
  }
  Status settled = co_await settle(ctx, turn);
  co_return settled;
}

// The id is recorded at once, so that a manager that is killed now finds it again.
Task<Status> Controller::pending(Ctx ctx, TurnPtr turn, LoadBalancer answer) {
  remember(turn, answer);
  std::string message = answer.state == LoadBalancerState::active
                            ? "The " + named(answer) + " has no address yet"
                            : "The cloud is working on the " + named(answer);
  Status waiting(Code::unavailable, ErrorClass::waiting, std::move(message));
  waiting.with_retry_after(answer.retry_after > milliseconds(0) ? answer.retry_after
                                                                : kPendingRetry);
  ServicePatch patch = annotated(*turn);
  Status told = co_await wait(ctx, turn, std::move(waiting), kEnsuring, std::move(patch));
  co_return told;
}

ServicePatch Controller::annotated(const Turn& turn) const {
  ServicePatch patch;
  const Record& record = *turn.record;
  if (!record.id.empty()) patch.annotate(turn.service, *id_annotation_, record.id);
  for (const Label& annotation : record.annotations) {
    patch.annotate(turn.service, annotation.key, annotation.value);
  }
  return patch;
}

// Makes the Service say what its load balancer is; writes only what differs.
Task<Status> Controller::settle(Ctx ctx, TurnPtr turn) {
  Record& record = *turn->record;
  if (record.elsewhere) co_return Status();
  const milliseconds time = host_.timer.wall_clock();
  ServicePatch patch = annotated(*turn);
  if (!turn->service.finalizer) patch.finalizer = ServicePatch::Finalizer::add;
  patch.set_ingress(turn->service, record.ingress);
  const Condition* stored = turn->service.condition(kReadyCondition);
  // A status that is right is not written only to add a condition to it.
  if (patch.ingress || (stored != nullptr && !stored->holds)) {
    Condition wanted = ready(true, kEnsured, "The load balancer is ready");
    patch.conditions.push_back(timed(stored, std::move(wanted), time));
  }
  const Condition* refused = turn->service.condition(kPortsErrorCondition);
  if (auto wanted = ports_error(record.ingress)) {
    if (difference(refused, *wanted) != Difference::none) {
      patch.conditions.push_back(timed(refused, *std::move(wanted), time));
    }
  } else {
    patch.remove_condition(turn->service, kPortsErrorCondition);
  }
  const bool first_address = patch.ingress && turn->service.ingress.empty();
  if (!patch.empty()) {
    Status written = co_await write(ctx, turn, std::move(patch));
    if (written.ok() && first_address) {
      time_to_address_.addressed(record.uid, host_.timer.wall_clock());
    }
    if (!written.ok() && written.error_class() != ErrorClass::not_found) {
      written.with_context("failed to update load balancer status");
      const bool announced = record.announced;
      Status told = co_await fail(ctx, turn, written, kSyncFailed, false);
      record.announced = announced;  // what was begun is still to be ended
      co_return told;
    }
  }
  if (std::exchange(record.announced, false)) {
    events_.normal(turn->object, kEnsured, "Ensured load balancer");  // SVC-27
  }
  co_return Status();
}

Task<Status> Controller::update_backends(Ctx ctx, TurnPtr turn) {
  Record& record = *turn->record;
  updates_.record(1);
  const milliseconds begin = host_.timer.now();
  const auto answer =
      co_await host_.load_balancers.update_backends(ctx, turn->intent, turn->backends.backends);
  const milliseconds took = host_.timer.now() - begin;
  update_duration_.record(static_cast<double>(took.count()) / 1e3);
  const auto& backends = turn->backends.backends;
  if (answer.ok() && answer->state == LoadBalancerState::active) {
    record.backend_hash = turn->backends.hash;
    if (backends.empty()) {  // SVC-60
      events_.warning(turn->object, kUnavailable, "There are no available nodes for LoadBalancer");
    } else if (!answer->difference.empty()) {
      events_.normal(turn->object, kUpdated, "Updated load balancer with new hosts");
    }
    Status settled = co_await settle(ctx, turn);
    co_return settled;
  }
  if (answer.ok() && answer->state == LoadBalancerState::pending) {
    const milliseconds pause =
        answer->retry_after > milliseconds(0) ? answer->retry_after : kPendingRetry;
    Status waiting(Code::unavailable, ErrorClass::waiting, "the cloud changes the backends");
    co_return std::move(waiting).with_retry_after(pause);
  }
  if (elsewhere(answer.status())) {  // SVC-61
    record.backend_hash = turn->backends.hash;
    co_return Status();
  }
  if (answer.ok() || answer.status().error_class() == ErrorClass::not_found) {
    // Gone or changed hands: no failure of this update (SVC-62); all of it is looked at again.
    Status ensured = co_await ensure(ctx, turn);
    co_return ensured;
  }
  failed_updates_.record(1);
  record.applied = false;  // SVC-59: the next try is a whole one
  Status failed = answer.status();
  failed.with_context("failed to update load balancer hosts " + node_names(backends) + " (" +
                      std::to_string(backends.size()) + ")");
  Status told = co_await fail(ctx, turn, failed, kUpdateFailed, false);
  co_return told;
}

}  // namespace ccm::service
