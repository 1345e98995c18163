#include "cloud/broker/load_balancers_broker.hpp"

#include "base/log.hpp"
#include "cloud/broker/abi_structs.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/operations.hpp"
#include "plugin/origin.hpp"
#include "plugin/waiting.hpp"

#include <utility>

namespace ccm::cloud {

namespace {

std::string key_of_service(const LoadBalancerService& service) {
  return service.namespace_name + "/" + service.name;
}

}  // namespace

void LoadBalancerNotes::answered(const LoadBalancerService& service,
                                 const Result<LoadBalancer>& answer) {
  const bool elsewhere = answer.status().code() == Code::implemented_elsewhere;
  if (!answer.ok() && !elsewhere) return;
  if (answer.ok() && answer->state == LoadBalancerState::absent) return forget(service);
  Note& note = notes_.write(key_of_service(service));
  if (note.uid != service.uid) note = Note{service.uid, {}, {}};
  note.at = timers_.now();
  LoadBalancerReport& report = note.report;
  if (elsewhere) {
    if (report.id.empty()) report.id = service.id;
    report.state = LoadBalancerState::absent;
    report.left_alone = answer.status().message();
    return;
  }
  report.left_alone.clear();
  report.id = answer->id.empty() ? service.id : answer->id;
  report.name = answer->name;
  report.state = answer->state;
  report.addresses.clear();
  for (const Ingress& ingress : answer->ingress) {
    report.addresses.push_back(ingress.ip.empty() ? ingress.hostname : ingress.ip);
  }
}

void LoadBalancerNotes::forget(const LoadBalancerService& service) {
  const std::string key = key_of_service(service);
  const Note* note = notes_.find(key);
  if (note != nullptr && note->uid == service.uid) notes_.erase(key);
}

std::string LoadBalancerNotes::id_of(const LoadBalancerService& service) const {
  const Note* note = notes_.find(key_of_service(service));
  return note != nullptr && note->uid == service.uid ? note->report.id : std::string();
}

std::optional<LoadBalancerReport> LoadBalancerNotes::find(std::string_view service) const {
  const Note* note = notes_.find(service);
  if (note == nullptr) return std::nullopt;
  LoadBalancerReport report = note->report;
  report.since = timers_.now() - note->at;
  return report;
}

namespace {

constexpr std::chrono::milliseconds kRemoveAgain{60'000};

plugin::Context::Fields fields_of(const LoadBalancerRequest& request) {
  return {{"service", request.service.namespace_name + "/" + request.service.name}};
}

// The user gave the load balancer up: a missing Service alone would not prove that. One that loses
// its finalizers before it is deleted has no deletionTimestamp, but the API server's own event.
bool given_up_by_user(const LoadBalancerRequest& request) {
  const kube::Object* service = plugin::object_of(request.service.object.get());
  if (service == nullptr) return false;
  if (service->deletion_seen()) return true;
  if (!service->text_at("/metadata/deletionTimestamp").empty()) return true;
  const auto type = service->text_at("/spec/type");
  return !type.empty() && type != "LoadBalancer";
}

// The HTTP calls of one reconcile so far: it asks for one thing after the other.
std::size_t calls_of(const std::shared_ptr<plugin::Origin>& origin) {
  return origin ? origin->calls() : 0;
}

// Nothing is left of it. The code alone proves nothing: a wrong path gives a 404, too.
bool is_gone(const Status& status) {
  return status.ok() || status.error_class() == ErrorClass::not_found;
}

}  // namespace

LoadBalancersBroker::LoadBalancersBroker(std::shared_ptr<plugin::LiveComponent> provider,
                                         ccm_interface interface, ProviderTimeouts timeouts,
                                         Brakes brakes, prometheus::Registry& registry,
                                         const LoadBalancerLimitOptions& limits)
    : provider_(std::move(provider)),
      self_(interface.self),
      table_(known(static_cast<const ccm_cloud_loadbalancers*>(interface.table))),
      timeouts_(timeouts),
      brake_(brakes.deletions),
      members_brake_(brakes.members),
      locks_(provider_->runtime().loop, provider_->runtime().timers, "load balancer operation"),
      notes_(provider_->runtime().timers),
      changes_(provider_->runtime().timers, limits.changes, limits.scarce),
      creations_(provider_->runtime().timers, registry, limits.replacement_window) {
  locks_.on_late([this](const std::string& key) {
    std::vector<std::string> removed;
    for (const auto& [uid, entry] : removed_) {
      if (entry.lock_key == key) removed.push_back(uid);
    }
    for (const std::string& uid : removed) {
      running_.start(remove_again(uid), plugin::ending_on_fault(provider_->runtime().timers));
    }
  });
}

Task<Result<LoadBalancer>> LoadBalancersBroker::observe(Request request,
                                                        std::shared_ptr<plugin::Context> context) {
  if (table_.observe == nullptr) removed_.erase(request->service.uid);  // it is wanted again
  Result<Running> running = co_await begin(request, context);
  if (!running.ok()) co_return running.status();
  if (table_.observe == nullptr) {  // `ensure` only reads when nothing differs
    co_return co_await change(*running, plugin::known_operation("loadbalancers.ensure"),
                              table_.ensure);
  }
  co_return co_await call(*running, plugin::known_operation("loadbalancers.observe"),
                          table_.observe);
}

Task<Result<LoadBalancer>> LoadBalancersBroker::ensure(Request request,
                                                       std::shared_ptr<plugin::Context> context) {
  const std::string& uid = request->service.uid;
  if (Status held = changes_.admit(request->service); !held.ok()) co_return held;
  removed_.erase(uid);  // it is wanted again
  const std::shared_ptr<plugin::Origin> origin = context->origin();
  const std::size_t before = calls_of(origin);
  const Result<std::string> key = co_await lock_key(request, context);
  if (!key.ok()) {
    changes_.ended(uid, key.status(), calls_of(origin) - before);
    co_return key.status();
  }
  Result<Running> running = co_await begin(*key, request, context);
  if (!running.ok()) {
    // One that gave up before its lock came says nothing of the request.
    if (!context->ended()) changes_.ended(uid, running.status(), calls_of(origin) - before);
    co_return running.status();
  }
  Result<LoadBalancer> outcome =
      co_await change(*running, plugin::known_operation("loadbalancers.ensure"), table_.ensure);
  changes_.ended(uid, outcome, calls_of(origin) - before);
  co_return outcome;
}

Task<Result<LoadBalancer>> LoadBalancersBroker::update_backends(
    Request request, std::shared_ptr<plugin::Context> context) {
  removed_.erase(request->service.uid);  // it is wanted again
  Result<Running> running = co_await begin(request, context);
  if (!running.ok()) co_return running.status();
  const auto update = table_.update_backends;
  co_return co_await change(*running, plugin::known_operation("loadbalancers.update_backends"),
                            update != nullptr ? update : table_.ensure);
}

Task<Result<std::string>> LoadBalancersBroker::lock_key(Request request,
                                                        std::shared_ptr<plugin::Context> context) {
  const std::string& uid = request->service.uid;
  if (table_.lane == nullptr) co_return uid;
  const Result<std::string> named = co_await lane(request, context);
  if (!named.ok()) co_return named.status();
  co_return named->empty() ? uid : "lane " + *named;
}

Task<Result<LoadBalancersBroker::Running>> LoadBalancersBroker::begin(
    std::string key, Request request, std::shared_ptr<plugin::Context> context) {
  Result<KeyLocks::Lock> lock = co_await locks_.take(key, context);
  if (!lock.ok()) co_return lock.status();
  Running running{std::move(request), std::move(context), std::move(key), *std::move(lock)};
  co_return running;
}

Task<Result<LoadBalancersBroker::Running>> LoadBalancersBroker::begin(
    Request request, std::shared_ptr<plugin::Context> context) {
  const Result<std::string> key = co_await lock_key(request, context);
  if (!key.ok()) co_return key.status();
  co_return co_await begin(*key, request, context);
}

Task<Result<LoadBalancer>> LoadBalancersBroker::change(Running& running, std::string_view operation,
                                                       Function function) {
  using Verdict = CreationBrake::Verdict;
  const auto& service = running.request->service;
  const Verdict verdict = function == table_.ensure ? creations_.judge(service) : Verdict::go;
  if (verdict == Verdict::hold) co_return creations_.held(service);
  // Without `observe` the operation itself has to observe: `ensure` does before it makes anything.
  const bool looks = verdict == Verdict::look || locks_.outcome_unknown(running.lock_key) > 0;
  if (looks && table_.observe != nullptr) {
    const Result<LoadBalancer> seen =
        co_await call(running, plugin::known_operation("loadbalancers.observe"), table_.observe);
    if (!seen.ok()) {
      co_return seen.status().with_context("what became of an earlier operation is not known");
    }
    // The replacement may have become old while the provider looked.
    const bool absent = seen->state == LoadBalancerState::absent;
    if (absent && verdict == Verdict::look && creations_.judge(service) != Verdict::go) {
      co_return creations_.held(service);
    }
  }
  co_return co_await call(running, operation, function);
}

std::string LoadBalancersBroker::known_id(const LoadBalancerService& service) const {
  std::string id = creations_.made_by_failure(service.uid);
  if (id.empty()) id = notes_.id_of(service);
  return id.empty() ? service.id : id;  // the cloud has it no more, or this process is young
}

// After a restart one that is recorded on its Service may have members.
Status LoadBalancersBroker::may_empty(const LoadBalancerRequest& request) {
  const std::string& uid = request.service.uid;
  if (!request.backends.empty()) {
    members_brake_.withdrawn(uid);
    return {};
  }
  const bool there = !request.service.id.empty() || members_brake_.knows(uid);
  if (!there || without_members_.contains(uid)) return {};
  return members_brake_.judge({uid}).front();
}

void LoadBalancersBroker::note_members(const LoadBalancerRequest& request,
                                       const Result<LoadBalancer>& outcome) {
  const std::string& uid = request.service.uid;
  if (!outcome.ok()) {
    if (request.backends.empty()) members_brake_.not_deleted(uid);
  } else if (request.backends.empty()) {
    members_brake_.deleted(uid);
    without_members_.insert(uid);
  } else if (outcome->state != LoadBalancerState::foreign) {
    members_brake_.add_known(uid);
    without_members_.erase(uid);
  }
}

Task<Result<LoadBalancer>> LoadBalancersBroker::call(Running& running, std::string_view operation,
                                                     Function function) {
  const auto& service = running.request->service;
  const bool changes = function != table_.observe;
  if (Status verdict = changes ? may_empty(*running.request) : Status(); !verdict.ok()) {
    co_return verdict;
  }
  const uint64_t unknown = locks_.outcome_unknown(running.lock_key);
  plugin::Invoke invoke = asking(function, running.request, true);
  Result<LoadBalancer> outcome = co_await provider_->call<LoadBalancer>(
      operation, running.context, timeouts_.load_balancer, fields_of(*running.request),
      std::move(invoke), copy_load_balancer, running.lock.share());
  running.lock.ended(outcome.status());
  if (changes) {
    creations_.answered(service, known_id(service), outcome);
    note_members(*running.request, outcome);
  }
  notes_.answered(service, outcome);
  if (outcome) locks_.confirm(running.lock_key, unknown);
  // Another's does not count among ours.
  if (outcome && !outcome->id.empty() && outcome->state != LoadBalancerState::foreign) {
    brake_.add_known(service.uid);
    if (served_) served_(service);
  }
  co_return outcome;
}

Task<Status> LoadBalancersBroker::remove(Request request,
                                         std::shared_ptr<plugin::Context> context) {
  const auto& service = request->service;
  Status admitted = changes_.admit_removal(service, brake_.knows(service.uid));
  if (!admitted.ok()) co_return admitted;
  co_return co_await remove_now(request, context);
}

// The provider checks the cloud first, so an unknown outcome is no reason to observe separately.
Task<Status> LoadBalancersBroker::remove_now(Request request,
                                             std::shared_ptr<plugin::Context> context) {
  Result<Running> running = co_await begin(request, context);
  if (!running.ok()) co_return running.status();
  const auto& service = request->service;
  const std::string& uid = service.uid;
  if (!given_up_by_user(*request)) {
    Status verdict = brake_.judge({uid}).front();
    if (!verdict.ok()) co_return verdict;
  }
  const std::string& key = running->lock_key;
  const uint64_t unknown = locks_.outcome_unknown(key);
  plugin::Invoke invoke = asking(table_.remove, request, false);
  const Result<plugin::Nothing> outcome = co_await provider_->call<plugin::Nothing>(
      plugin::known_operation("loadbalancers.delete"), context, timeouts_.load_balancer,
      fields_of(*request), std::move(invoke), plugin::copy_nothing, running->lock.share());
  const Status status = outcome.status();
  running->lock.ended(status);
  changes_.ended_removal(uid, status);
  const bool existed = !service.id.empty() || !known_id(service).empty();
  if (is_gone(status)) creations_.removed(service, status.ok() && existed);
  if (is_gone(status) || status.code() == Code::implemented_elsewhere ||
      status.reason() == CCM_REASON_NOT_OWNED) {
    notes_.forget(service);
  }
  if (is_gone(status)) {
    changes_.removed(uid);
    brake_.deleted(uid);
    members_brake_.deleted(uid);
    members_brake_.withdrawn(uid);
    without_members_.erase(uid);
    locks_.confirm(key, unknown);
    if (locks_.abandoned(key) > 0) removed_[uid] = {request, key};
  }
  co_return status;
}

// A lost operation has ended, and may have created what was deleted before.
Task<void> LoadBalancersBroker::remove_again(std::string uid) {
  for (auto place = removed_.find(uid); place != removed_.end(); place = removed_.find(uid)) {
    const Request request = place->second.request;
    const Status status = co_await remove_now(request, provider_->background());
    if (is_gone(status)) {
      place = removed_.find(uid);
      if (place != removed_.end() && locks_.abandoned(place->second.lock_key) == 0) {
        removed_.erase(place);
      }
      co_return;
    }
    if (status.error_class() != ErrorClass::waiting) {
      log::error("A lost operation may have left a load balancer behind",
                 {{"service", uid}, {"err", status}});
    }
    if (status.refused()) {
      removed_.erase(uid);
      co_return;
    }
    co_await plugin::sleep(provider_->runtime().timers, kRemoveAgain);
  }
}

template <typename T>
Task<Result<T>> LoadBalancersBroker::ask(std::string_view operation, Function function,
                                         Request request, std::shared_ptr<plugin::Context> context,
                                         plugin::Copy<T> copy) {
  plugin::Invoke invoke = asking(function, request, false);
  co_return co_await provider_->call<T>(operation, context, timeouts_.call, fields_of(*request),
                                        std::move(invoke), std::move(copy));
}

Task<Result<std::string>> LoadBalancersBroker::name(Request request,
                                                    std::shared_ptr<plugin::Context> context) {
  if (table_.name == nullptr) co_return request->service.default_name;
  co_return co_await ask<std::string>(plugin::known_operation("loadbalancers.name"), table_.name,
                                      request, context, copy_name);
}

Task<Result<std::string>> LoadBalancersBroker::lane(Request request,
                                                    std::shared_ptr<plugin::Context> context) {
  if (table_.lane == nullptr) co_return std::string();
  co_return co_await ask<std::string>(plugin::known_operation("loadbalancers.lane"), table_.lane,
                                      request, context, copy_lane);
}

plugin::Invoke LoadBalancersBroker::asking(Function function, Request request,
                                           bool with_backends) const {
  return [function, self = self_, request = std::move(request), with_backends](
             ccm_ctx ctx, ccm_completion once) {
    const detail::LoadBalancerServiceC service(request->service);
    auto raw = sized<ccm_load_balancer_request>();
    raw.service = service.get();
    if (with_backends) {
      raw.backends = request->backends.get();
      raw.backend_count = request->backends.size();
    }
    function(self, ctx, &raw, once);
  };
}

Task<Result<LoadBalancerLimits>> LoadBalancersBroker::limits(
    std::shared_ptr<plugin::Context> context) {
  if (table_.limits == nullptr) co_return LoadBalancerLimits();
  plugin::Invoke invoke = plugin::invoke_plain(table_.limits, self_);
  Result<LoadBalancerLimits> limits = co_await provider_->call<LoadBalancerLimits>(
      plugin::known_operation("loadbalancers.limits"), context, timeouts_.call,
      plugin::Context::Fields(), std::move(invoke), copy_load_balancer_limits);
  if (limits.ok()) {
    timeouts_.load_balancer = time_limit(limits->timeout, timeouts_.load_balancer);
    locks_.set_parallel(limits->parallel);
    if (!limits->id_annotation.empty()) changes_.set_id_annotation(limits->id_annotation);
  }
  co_return limits;
}

}  // namespace ccm::cloud
