#include "cloud/broker/load_balancers_broker.hpp"

#include "base/log.hpp"
#include "cloud/broker/abi_structs.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/operations.hpp"
#include "plugin/origin.hpp"

#include <utility>

namespace ccm::plugin {

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

Context::Fields fields_of(const LoadBalancerRequest& request) {
  return {{"service", request.service.namespace_name + "/" + request.service.name}};
}

// The user gave the load balancer up: a missing Service alone would not prove that. One that loses
// its finalizers before it is deleted has no deletionTimestamp, but the API server's own event.
bool given_up_by_user(const LoadBalancerRequest& request) {
  const kube::Object* service = object_of(request.service.object.get());
  if (service == nullptr) return false;
  if (service->deletion_seen()) return true;
  if (!service->text_at("/metadata/deletionTimestamp").empty()) return true;
  const auto type = service->text_at("/spec/type");
  return !type.empty() && type != "LoadBalancer";
}

// The HTTP calls of one reconcile so far: it asks for one thing after the other.
std::size_t calls_of(const std::shared_ptr<Origin>& origin) { return origin ? origin->calls() : 0; }

// Nothing is left of it. The code alone proves nothing: a wrong path gives a 404, too.
bool is_gone(const Status& status) {
  return status.ok() || status.error_class() == ErrorClass::not_found;
}

}  // namespace

LoadBalancersBroker::LoadBalancersBroker(std::shared_ptr<LiveComponent> provider,
                                         ccm_interface interface, ProviderTimeouts timeouts,
                                         Brakes brakes, prometheus::Registry& registry,
                                         const LoadBalancerLimitOptions& limits)
    : provider_(std::move(provider)),
      self_(interface.self),
      table_(whole(*static_cast<const ccm_cloud_loadbalancers*>(interface.table))),
      timeouts_(timeouts),
      brake_(brakes.deletions),
      members_brake_(brakes.members),
      turns_(provider_->runtime().loop, provider_->runtime().timers, "load balancer operation"),
      notes_(provider_->runtime().timers),
      changes_(provider_->runtime().timers, limits.changes, limits.scarce),
      creations_(provider_->runtime().timers, registry, limits.replacement_window),
      self_reference_(std::make_shared<LoadBalancersBroker*>(this)) {
  turns_.on_late([this](const std::string& lane) {
    std::vector<std::string> removed;
    for (const auto& [uid, entry] : removed_) {
      if (entry.lane == lane) removed.push_back(uid);
    }
    for (const std::string& uid : removed) remove_again(uid);
  });
}

bool LoadBalancersBroker::usable() const {
  return table_.ensure != nullptr && table_.remove != nullptr;
}

// The key of its turns: the lane that the provider names, else the Service.
void LoadBalancersBroker::find_lane(const Request& request, const std::shared_ptr<Context>& context,
                                    const std::function<void(Result<std::string>)>& done) {
  if (table_.lane == nullptr) return done(request->service.uid);
  lane(request, context, [uid = request->service.uid, done](Result<std::string> lane) {
    if (!lane.ok()) return done(std::move(lane));
    done(lane->empty() ? uid : "lane " + *lane);
  });
}

void LoadBalancersBroker::change(std::string_view operation, Function function, Request request,
                                 std::shared_ptr<Context> context, BalancerDone done) {
  const bool observes = function == table_.observe;
  if (!observes) removed_.erase(request->service.uid);  // it is wanted again
  auto failed = [done](Status status) { done(std::move(status)); };
  auto begin = [this, operation, function, observes, request, context, done = std::move(done),
                failed](Result<std::string> lane) {
    if (!lane.ok()) return failed(lane.status());
    const Running running{operation, request, context, *lane};
    auto start = [this, running, function, observes, done, failed](const Turn& turn) {
      if (observes) return call(running, function, turn, done);
      auto go = [this, running, function, turn, done] { call(running, function, turn, done); };
      observe_first(running, turn, function == table_.ensure, go, failed);
    };
    turns_.take(running.lane, context, std::move(start), failed);
  };
  find_lane(request, context, begin);
}

void LoadBalancersBroker::observe_first(const Running& running, const Turn& turn, bool makes,
                                        const std::function<void()>& go,
                                        const std::function<void(Status)>& failed) {
  using Verdict = CreationBrake::Verdict;
  const auto& service = running.request->service;
  const Verdict verdict = makes ? creations_.judge(service) : Verdict::go;
  if (verdict == Verdict::hold) return failed(creations_.held(service));
  // Without `observe` the operation itself has to observe: `ensure` does before it makes anything.
  const bool looks = verdict == Verdict::look || turns_.doubt(running.lane) > 0;
  if (!looks || table_.observe == nullptr) return go();
  const Running observing{known_operation("loadbalancers.observe"), running.request,
                          running.context, running.lane};
  call(observing, table_.observe, turn,
       [this, go, failed, verdict, request = running.request](const Result<LoadBalancer>& seen) {
         if (!seen.ok()) {
           Status status = seen.status();
           status.with_context("what became of an earlier operation is not known");
           return failed(std::move(status));
         }
         const bool absent = seen->state == LoadBalancerState::absent;
         // The replacement may have become old while the provider looked.
         const bool held = absent && verdict == Verdict::look &&
                           creations_.judge(request->service) != Verdict::go;
         if (held) return failed(creations_.held(request->service));
         go();
       });
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

void LoadBalancersBroker::call(const Running& running, Function function, const Turn& turn,
                               BalancerDone done) {
  const std::string uid = running.request->service.uid;
  const bool changes = function != table_.observe;
  if (Status verdict = changes ? may_empty(*running.request) : Status(); !verdict.ok()) {
    return done(std::move(verdict));
  }
  const uint64_t doubt = turns_.doubt(running.lane);
  auto invoke = asking(function, running.request, true);
  auto finished = [this, running, turn, uid, doubt, changes,
                   done = std::move(done)](Result<LoadBalancer> outcome) {
    turns_.ended(running.lane, turn.number, outcome.status());
    const auto& service = running.request->service;
    if (changes) {
      creations_.answered(service, known_id(service), outcome);
      note_members(*running.request, outcome);
    }
    notes_.answered(service, outcome);
    if (outcome) turns_.settle(running.lane, doubt);
    // Another's does not count among ours.
    if (outcome && !outcome->id.empty() && outcome->state != LoadBalancerState::foreign) {
      brake_.add_known(uid);
      if (served_) served_(running.request->service);
    }
    done(std::move(outcome));
  };
  provider_->call<LoadBalancer>(running.name, running.context, timeouts_.load_balancer,
                                fields_of(*running.request), std::move(invoke), copy_load_balancer,
                                std::move(finished), turn.held);
}

void LoadBalancersBroker::observe(Request request, std::shared_ptr<Context> context,
                                  BalancerDone done) {
  if (table_.observe == nullptr) {  // it only reads when nothing differs
    return change(known_operation("loadbalancers.ensure"), table_.ensure, std::move(request),
                  std::move(context), std::move(done));
  }
  change(known_operation("loadbalancers.observe"), table_.observe, std::move(request),
         std::move(context), std::move(done));
}

void LoadBalancersBroker::ensure(Request request, std::shared_ptr<Context> context,
                                 BalancerDone done) {
  Status admitted = changes_.admit(request->service);
  if (!admitted.ok()) return done(std::move(admitted));
  const std::shared_ptr<Origin> origin = context->origin();
  const std::size_t before = calls_of(origin);
  change(known_operation("loadbalancers.ensure"), table_.ensure, request, std::move(context),
         [this, uid = request->service.uid, origin, before,
          done = std::move(done)](Result<LoadBalancer> outcome) {
           changes_.ended(uid, outcome, calls_of(origin) - before);
           done(std::move(outcome));
         });
}

void LoadBalancersBroker::update_backends(Request request, std::shared_ptr<Context> context,
                                          BalancerDone done) {
  const Function function =
      table_.update_backends != nullptr ? table_.update_backends : table_.ensure;
  change(known_operation("loadbalancers.update_backends"), function, std::move(request),
         std::move(context), std::move(done));
}

void LoadBalancersBroker::remove(Request request, std::shared_ptr<Context> context,
                                 std::function<void(Status)> done) {
  Status admitted = changes_.admit_removal(request->service, brake_.knows(request->service.uid));
  if (!admitted.ok()) return done(std::move(admitted));
  remove_now(std::move(request), std::move(context), std::move(done));
}

void LoadBalancersBroker::remove_now(Request request, std::shared_ptr<Context> context,
                                     std::function<void(Status)> done) {
  auto begin = [this, request, context, done](Result<std::string> lane) {
    if (!lane.ok()) return done(lane.status());
    const Running running{known_operation("loadbalancers.delete"), request, context, *lane};
    auto start = [this, running, done](const Turn& turn) { begin_remove(running, done, turn); };
    turns_.take(running.lane, context, std::move(start), done);
  };
  find_lane(request, context, begin);
}

// It checks the cloud first, so doubt is no reason to observe separately.
void LoadBalancersBroker::begin_remove(const Running& running,
                                       const std::function<void(Status)>& done, const Turn& turn) {
  const std::string uid = running.request->service.uid;
  if (!given_up_by_user(*running.request)) {
    Status verdict = brake_.judge({uid}).front();
    if (!verdict.ok()) return done(std::move(verdict));
  }
  const uint64_t doubt = turns_.doubt(running.lane);
  auto invoke = asking(table_.remove, running.request, false);
  auto finished = [this, running, turn, uid, doubt, done](const Result<Nothing>& outcome) {
    const Status status = outcome.status();
    const auto& service = running.request->service;
    turns_.ended(running.lane, turn.number, status);
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
      turns_.settle(running.lane, doubt);
      if (turns_.abandoned(running.lane) > 0) removed_[uid] = {running.request, running.lane};
    }
    done(status);
  };
  provider_->call<Nothing>(running.name, running.context, timeouts_.load_balancer,
                           fields_of(*running.request), std::move(invoke), copy_nothing,
                           std::move(finished), turn.held);
}

// A lost operation has ended, and may have created what was deleted before.
void LoadBalancersBroker::remove_again(const std::string& uid) {
  const auto place = removed_.find(uid);
  if (place == removed_.end()) return;
  const Request request = place->second.request;
  remove_now(request, provider_->background(),
             [this, uid](const Status& status) { removed_again(uid, status); });
}

void LoadBalancersBroker::removed_again(const std::string& uid, const Status& status) {
  if (is_gone(status)) {
    const auto place = removed_.find(uid);
    if (place != removed_.end() && turns_.abandoned(place->second.lane) == 0) removed_.erase(place);
    return;
  }
  if (status.error_class() != ErrorClass::waiting) {
    log::error("A lost operation may have left a load balancer behind",
               {{"service", uid}, {"err", status}});
  }
  if (status.refused()) {
    removed_.erase(uid);
    return;
  }
  const std::weak_ptr<LoadBalancersBroker*> weak = self_reference_;
  provider_->runtime().timers.after(kRemoveAgain, [weak, uid] {
    if (const auto self = weak.lock()) (*self)->remove_again(uid);
  });
}

void LoadBalancersBroker::name(Request request, std::shared_ptr<Context> context,
                               std::function<void(Result<std::string>)> done) {
  if (table_.name == nullptr) return done(request->service.default_name);
  Context::Fields fields = fields_of(*request);
  auto invoke = asking(table_.name, std::move(request), false);
  provider_->call<std::string>(known_operation("loadbalancers.name"), context, timeouts_.call,
                               std::move(fields), std::move(invoke), copy_name, std::move(done));
}

void LoadBalancersBroker::lane(Request request, std::shared_ptr<Context> context,
                               std::function<void(Result<std::string>)> done) {
  if (table_.lane == nullptr) return done(std::string());
  Context::Fields fields = fields_of(*request);
  auto invoke = asking(table_.lane, std::move(request), false);
  provider_->call<std::string>(known_operation("loadbalancers.lane"), context, timeouts_.call,
                               std::move(fields), std::move(invoke), copy_lane, std::move(done));
}

Invoke LoadBalancersBroker::asking(Function function, Request request, bool with_backends) const {
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

void LoadBalancersBroker::limits(std::shared_ptr<Context> context,
                                 std::function<void(Result<LoadBalancerLimits>)> done) {
  if (table_.limits == nullptr) return done(LoadBalancerLimits());
  auto learnt = [this, done = std::move(done)](Result<LoadBalancerLimits> limits) {
    if (limits.ok()) {
      timeouts_.load_balancer = time_limit(limits->timeout, timeouts_.load_balancer);
      turns_.set_parallel(limits->parallel);
      if (!limits->id_annotation.empty()) changes_.set_id_annotation(limits->id_annotation);
    }
    done(std::move(limits));
  };
  provider_->call<LoadBalancerLimits>(known_operation("loadbalancers.limits"), context,
                                      timeouts_.call, {}, invoke_plain(table_.limits, self_),
                                      copy_load_balancer_limits, std::move(learnt));
}

}  // namespace ccm::plugin
