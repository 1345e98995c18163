#include "cloud/broker/routes_broker.hpp"

#include "cloud/broker/abi_structs.hpp"
#include "plugin/operations.hpp"

#include <unordered_set>

namespace ccm::cloud {

namespace {

constexpr const char* kTable = "";  // there is one, so the key of its locks is empty
constexpr std::chrono::milliseconds kListAgain{1'000};

std::string key_of(const Route& route) {
  return route.id + " " + route.destination_cidr + " " + route.target_node;
}

}  // namespace

// One apply on its way.
struct RoutesBroker::Request {
  const Changes changes;
  const std::shared_ptr<plugin::Context> context;
  std::vector<Status> statuses;        // for all changes
  std::vector<std::size_t> allowed{};  // removals that go to the provider
  std::vector<Route> admitted{};       // additions that do
  std::vector<std::size_t> places{};   // where these are among the additions
  std::vector<RouteBatch> batches{};

  // Calls `fn(route, change, its status)` for the changes of a batch, removals first.
  template <typename Fn>
  void each(const RouteBatch& batch, const Fn& fn) {
    for (const std::size_t index : batch.removals) {
      fn(changes.removals[index], Change::removal, statuses[index]);
    }
    for (const std::size_t index : batch.additions) {
      fn(admitted[index], Change::addition, statuses[changes.removals.size() + places[index]]);
    }
  }
};

RoutesBroker::RoutesBroker(std::shared_ptr<plugin::LiveComponent> provider, ccm_interface interface,
                           ProviderTimeouts timeouts, AbsenceBrake& brake,
                           std::unique_ptr<RouteTargets> targets, NodeDeleted node_deleted)
    : provider_(std::move(provider)),
      self_(interface.self),
      table_(known(static_cast<const ccm_cloud_routes*>(interface.table))),
      timeouts_(timeouts),
      brake_(brake),
      targets_(std::move(targets)),
      node_deleted_(std::move(node_deleted)),
      locks_(provider_->runtime().loop, provider_->runtime().timers, "change of routes") {}

Task<Result<std::vector<Route>>> RoutesBroker::list(std::string cluster_name,
                                                    std::shared_ptr<plugin::Context> context) {
  plugin::Invoke invoke = [list = table_.list, self = self_,
                           cluster_name = std::move(cluster_name)](ccm_ctx ctx,
                                                                   ccm_completion once) {
    auto request = sized<ccm_list_routes_request>();
    request.cluster_name = c_str(cluster_name);
    list(self, ctx, &request, once);
  };
  const uint64_t unknown = locks_.outcome_unknown(kTable);
  Result<std::vector<Route>> routes = co_await provider_->call<std::vector<Route>>(
      plugin::known_operation("routes.list"), context, timeouts_.list, plugin::Context::Fields(),
      std::move(invoke), copy_routes);
  if (!routes.ok()) co_return routes;
  Status known = co_await targets_->refresh(context);
  if (context->ended()) known = context->status();
  if (!known.ok()) co_return known;
  locks_.confirm(kTable, unknown);
  listed(*routes);
  co_return routes;
}

void RoutesBroker::listed(std::vector<Route>& routes) {
  targets_->take(routes, by_address_);
  owned_.clear();
  std::unordered_set<std::string> keys;
  for (const Route& route : routes) {
    if (!route.owned) continue;
    owned_.push_back(route);
    keys.insert(key_of(route));
  }
  brake_.set_known(std::move(keys));
  listed_ = provider_->runtime().timers.now();
  forget_made_changes();
  forget_old_failures();
}

Task<Result<std::vector<Status>>> RoutesBroker::apply(Changes changes,
                                                      std::shared_ptr<plugin::Context> context) {
  Result<KeyLocks::Lock> lock = co_await locks_.take(kTable, context);
  if (!lock.ok()) co_return lock.status();
  if (locks_.outcome_unknown(kTable) != 0) {
    co_return Status(Code::unavailable, ErrorClass::waiting,
                     "what became of earlier changes is not known before the routes have been "
                     "listed again")
        .with_reason(CCM_REASON_OPERATION_NOT_COMPLETED)
        .with_retry_after(kListAgain);
  }
  Status known = co_await learn_limits(context);
  if (known.ok()) known = co_await targets_->refresh(context);
  if (context->ended()) known = context->status();
  if (!known.ok()) co_return known;

  const std::size_t count = changes.removals.size() + changes.additions.size();
  Request request{std::move(changes), context, std::vector<Status>(count)};
  judge_additions(request);
  judge_removals(request);
  request.batches = batches_of(request.changes.removals, request.allowed, request.admitted,
                               batch_size_.value_or(0));
  for (std::size_t next = 0; next < request.batches.size(); ++next) {
    const RouteBatch& batch = request.batches[next];
    const Result<std::vector<Status>> outcome = co_await call(request, batch, *lock);
    if (outcome.ok()) {
      took(request, batch, *outcome);
      continue;
    }
    failed(request, next, outcome.status());
    if (next == 0) co_return outcome.status();
    break;
  }
  co_return std::move(request.statuses);
}

// By the cloud's own listing, not by the controller's description of the route.
bool RoutesBroker::of_deleted_node(const Route& route) const {
  if (!node_deleted_) return false;
  const auto listed = std::find_if(owned_.begin(), owned_.end(), [&](const Route& known) {
    return key_of(known) == key_of(route);
  });
  return listed != owned_.end() && !listed->target_node.empty() &&
         node_deleted_(listed->target_node);
}

void RoutesBroker::judge_additions(Request& request) {
  const std::size_t removals = request.changes.removals.size();
  for (std::size_t index = 0; index < request.changes.additions.size(); ++index) {
    Route route = request.changes.additions[index];
    Status& status = request.statuses[removals + index];
    status = targets_->admit(route, by_address_);
    if (!status.ok()) {
      note_outcome(route, Change::addition, status);
      continue;
    }
    request.admitted.push_back(std::move(route));
    request.places.push_back(index);
  }
}

void RoutesBroker::judge_removals(Request& request) {
  const std::vector<Route>& removals = request.changes.removals;
  const Replacements replacements(removals, request.admitted, owned_);
  std::vector<std::string> keys;
  std::vector<std::size_t> absences;  // removals only because something else is missing
  for (std::size_t index = 0; index < removals.size(); ++index) {
    const Route& route = removals[index];
    if (!route.owned) {
      request.statuses[index] = Status(Code::failed_precondition,
                                       "route " + route.destination_cidr + " was not made by us")
                                    .with_reason(CCM_REASON_NOT_OWNED);
    } else if (!replacements.of(route) && !of_deleted_node(route) &&
               !targets_->of_former_node(route)) {
      absences.push_back(index);
      keys.push_back(key_of(route));
    }
  }
  if (!keys.empty()) {
    const std::vector<Status> verdicts = brake_.judge(keys);
    for (std::size_t index = 0; index < keys.size(); ++index) {
      request.statuses[absences[index]] = verdicts[index];
    }
  }
  for (std::size_t index = 0; index < removals.size(); ++index) {
    if (request.statuses[index].ok()) request.allowed.push_back(index);
  }
}

Task<Status> RoutesBroker::learn_limits(std::shared_ptr<plugin::Context> context) {
  if (batch_size_ || table_.limits == nullptr) co_return Status();
  Status status = (co_await ask_limits(context)).status();
  if (status.code() != Code::unimplemented) co_return status;
  batch_size_ = 0;
  co_return Status();
}

Task<Result<std::vector<Status>>> RoutesBroker::call(const Request& request,
                                                     const RouteBatch& batch,
                                                     KeyLocks::Lock& lock) {
  // A blocking provider may still read its arguments when the next batch begins.
  auto given = std::make_shared<Changes>();
  given->cluster_name = request.changes.cluster_name;
  for (const std::size_t index : batch.removals) {
    given->removals.push_back(request.changes.removals[index]);
  }
  for (const std::size_t index : batch.additions) {
    given->additions.push_back(request.admitted[index]);
  }
  plugin::Invoke invoke = [apply = table_.apply, self = self_, given](ccm_ctx ctx,
                                                                      ccm_completion once) {
    const detail::RoutesC remove(given->removals);
    const detail::RoutesC add(given->additions);
    auto asked = sized<ccm_apply_routes_request>();
    asked.cluster_name = c_str(given->cluster_name);
    asked.remove = remove.data();
    asked.remove_count = remove.size();
    asked.add = add.data();
    asked.add_count = add.size();
    apply(self, ctx, &asked, once);
  };
  Result<std::vector<Status>> outcome = co_await provider_->call<std::vector<Status>>(
      plugin::known_operation("routes.apply"), request.context, timeouts_.routes,
      plugin::Context::Fields(), std::move(invoke), copy_route_results, lock.share());
  lock.ended(outcome.status());
  if (outcome.ok() && outcome->size() != batch.removals.size() + batch.additions.size()) {
    outcome = Status(Code::internal, "the provider answered for another number of routes");
  }
  co_return outcome;
}

void RoutesBroker::took(Request& request, const RouteBatch& batch,
                        const std::vector<Status>& statuses) {
  std::size_t place = 0;
  const auto take = [&](const Route& route, Change change, Status& result) {
    result = statuses[place++];
    note_outcome(route, change, result);
    if (change == Change::addition) return;
    if (result.ok()) {
      brake_.deleted(key_of(route));
    } else {
      brake_.not_deleted(key_of(route));
    }
  };
  request.each(batch, take);
}

// That batch failed, and none of those after it was attempted. Nothing is known of it: allowed
// removals may have happened, so they stay counted.
void RoutesBroker::failed(Request& request, std::size_t batch, const Status& status) {
  for (std::size_t next = batch; next < request.batches.size(); ++next) {
    const auto fail = [&](const Route& route, Change change, Status& result) {
      result = status;
      note_outcome(route, change, status);
      if (next > batch && change == Change::removal) brake_.not_deleted(key_of(route));
    };
    request.each(request.batches[next], fail);
  }
}

void RoutesBroker::note_outcome(const Route& route, Change change, const Status& status) {
  constexpr std::size_t kMostFailures = 4'096;
  const std::pair key(route.target_node, route.destination_cidr);
  if (status.ok()) {
    failures_.erase(key);
    return;
  }
  if (failures_.size() >= kMostFailures && failures_.count(key) == 0) return;
  const auto now = provider_->runtime().timers.now();
  Failure& failure = failures_[key];
  if (failure.attempts++ == 0) failure.since = now;
  failure.change = change;
  failure.status = status;
  failure.last = now;
}

// A change whose answer was lost may have been made all the same.
void RoutesBroker::forget_made_changes() {
  if (failures_.empty()) return;
  std::map<std::pair<std::string, std::string>, bool> listed;  // whether it works
  for (const Route& route : owned_) {
    bool& works = listed[{route.target_node, route.destination_cidr}];
    works = works || !route.blackhole;
  }
  std::erase_if(failures_, [&](const auto& entry) {
    const auto found = listed.find(entry.first);
    if (entry.second.change == Change::removal) return found == listed.end();
    return found != listed.end() && found->second;
  });
}

// A change that is no longer asked for.
void RoutesBroker::forget_old_failures() {
  constexpr std::chrono::hours kOldFailure{1};
  const auto now = provider_->runtime().timers.now();
  std::erase_if(failures_,
                [&](const auto& entry) { return now - entry.second.last > kOldFailure; });
}

std::vector<RouteReport> RoutesBroker::routes_of(const std::string& node) const {
  const auto now = provider_->runtime().timers.now();
  std::map<std::string, RouteReport> routes;
  for (const Route& route : owned_) {
    if (route.target_node != node) continue;
    RouteReport& report = routes[route.destination_cidr];
    report = {route.destination_cidr, true, {}, 0, now - listed_};
    const AbsenceBrake::Refused* refused = brake_.refused(key_of(route));
    if (refused == nullptr) continue;
    report.failure = brake_.why_refused(key_of(route));
    report.attempts = refused->attempts;
    report.since = now - refused->since;
  }
  for (const auto& [key, failure] : failures_) {
    if (key.first != node) continue;
    RouteReport& report = routes[key.second];
    report.destination = key.second;
    report.failure = failure.status;
    report.attempts = failure.attempts;
    report.since = now - failure.since;
  }
  for (auto& [destination, refusal] : targets_->refused(node)) {
    RouteReport& report = routes[destination];
    report.destination = destination;
    if (report.failure.ok()) report.failure = std::move(refusal);
  }
  std::vector<RouteReport> reports;
  reports.reserve(routes.size());
  for (auto& [destination, report] : routes) reports.push_back(std::move(report));
  return reports;
}

Task<Result<RouteLimits>> RoutesBroker::limits(std::shared_ptr<plugin::Context> context) {
  if (table_.limits == nullptr) co_return RouteLimits();
  Result<RouteLimits> limits = co_await ask_limits(context);
  if (limits.ok()) limits->batch = 0;
  co_return limits;
}

Task<Result<RouteLimits>> RoutesBroker::ask_limits(std::shared_ptr<plugin::Context> context) {
  plugin::Invoke invoke = plugin::invoke_plain(table_.limits, self_);
  Result<RouteLimits> limits = co_await provider_->call<RouteLimits>(
      plugin::known_operation("routes.limits"), context, timeouts_.call, plugin::Context::Fields(),
      std::move(invoke), copy_route_limits);
  if (limits.ok()) {
    batch_size_ = limits->batch;
    by_address_ = limits->uses_addresses;
    timeouts_.list = time_limit(limits->timeout, timeouts_.list);
    timeouts_.routes = time_limit(limits->timeout, timeouts_.routes);
  }
  co_return limits;
}

}  // namespace ccm::cloud
