#include "plugin/broker/routes_broker.hpp"

#include "plugin/broker/abi_structs.hpp"

#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace ccm::plugin {

namespace {

std::string key_of(const Route& route) {
  return route.id + " " + route.destination_cidr + " " + route.target_node;
}

// What takes the place of routes that are removed. Borrows from the routes that it was made of.
class Replacements {
 public:
  Replacements(const std::vector<Route>& removals, const std::vector<Route>& additions,
               const std::vector<Route>& owned) {
    for (const Route& route : additions) {
      destinations_.insert(route.destination_cidr);
      targets_.insert(route.target_node);
    }
    std::set<std::pair<std::string_view, std::string_view>> removed;
    for (const Route& route : removals) removed.emplace(route.id, route.destination_cidr);
    for (const Route& route : owned) {
      if (route.blackhole || removed.contains({route.id, route.destination_cidr})) continue;
      destinations_.insert(route.destination_cidr);
    }
  }

  // Its destination stays routed, or its Node gets another route.
  [[nodiscard]] bool of(const Route& route) const {
    return destinations_.contains(route.destination_cidr) ||
           (!route.target_node.empty() && targets_.contains(route.target_node));
  }

 private:
  std::unordered_set<std::string_view> destinations_;
  std::unordered_set<std::string_view> targets_;
};

}  // namespace

// One apply on its way.
struct RoutesBroker::Batch {
  Changes changes;
  std::shared_ptr<Context> context;
  std::function<void(Result<std::vector<Status>>)> done;
  std::vector<Status> statuses;      // of all changes
  std::vector<std::size_t> allowed;  // removals that go to the provider
  std::vector<Route> removals;       // the allowed ones
};

RoutesBroker::RoutesBroker(std::shared_ptr<LiveComponent> provider, ccm_interface interface,
                           ProviderTimeouts timeouts, AbsenceGate& gate)
    : provider_(std::move(provider)),
      self_(interface.self),
      table_(whole(*static_cast<const ccm_cloud_routes*>(interface.table))),
      timeouts_(timeouts),
      gate_(gate) {}

bool RoutesBroker::usable() const { return table_.list != nullptr && table_.apply != nullptr; }

void RoutesBroker::list(std::string cluster_name, std::shared_ptr<Context> context,
                        std::function<void(Result<std::vector<Route>>)> done) {
  auto invoke = [list = table_.list, self = self_, cluster_name = std::move(cluster_name)](
                    const ccm_ctx* ctx, ccm_completion once) {
    list(self, ctx, c_str(cluster_name), once);
  };
  auto ended = [this, done = std::move(done)](Result<std::vector<Route>> listed) {
    if (listed.ok()) {
      owned_.clear();
      std::unordered_set<std::string> keys;
      for (const Route& route : *listed) {
        if (!route.owned) continue;
        owned_.push_back(route);
        keys.insert(key_of(route));
      }
      gate_.set_known(std::move(keys));
    }
    done(std::move(listed));
  };
  provider_->call<std::vector<Route>>("routes.list", context, timeouts_.list, {}, std::move(invoke),
                                      copy_routes, std::move(ended));
}

void RoutesBroker::apply(Changes changes, std::shared_ptr<Context> context,
                         std::function<void(Result<std::vector<Status>>)> done) {
  auto batch = std::make_shared<Batch>();
  batch->changes = std::move(changes);
  batch->context = context;
  batch->done = std::move(done);
  turns_.take("", std::move(context),
              [this, batch](Turns::Turn turn) { begin_apply(batch, std::move(turn)); });
}

void RoutesBroker::judge(Batch& batch) {
  const std::vector<Route>& removals = batch.changes.removals;
  batch.statuses.assign(removals.size() + batch.changes.additions.size(), Status());
  const Replacements replacements(removals, batch.changes.additions, owned_);
  std::vector<std::string> keys;
  std::vector<std::size_t> absences;  // what would go only because something else is missing
  for (std::size_t index = 0; index < removals.size(); ++index) {
    const Route& route = removals[index];
    if (!route.owned) {
      batch.statuses[index] = Status(Code::failed_precondition,
                                     "route " + route.destination_cidr + " was not made by us")
                                  .with_reason("NotOwned");
    } else if (!replacements.of(route)) {
      absences.push_back(index);
      keys.push_back(key_of(route));
    }
  }
  if (!keys.empty()) {
    const std::vector<Status> verdicts = gate_.judge(keys);
    for (std::size_t index = 0; index < keys.size(); ++index) {
      batch.statuses[absences[index]] = verdicts[index];
    }
  }
  for (std::size_t index = 0; index < removals.size(); ++index) {
    if (!batch.statuses[index].ok()) continue;
    batch.allowed.push_back(index);
    batch.removals.push_back(removals[index]);
  }
}

void RoutesBroker::begin_apply(const std::shared_ptr<Batch>& batch, Turns::Turn turn) {
  judge(*batch);
  if (batch->removals.empty() && batch->changes.additions.empty()) {
    return batch->done(std::move(batch->statuses));
  }
  auto invoke = [apply = table_.apply, self = self_, batch](const ccm_ctx* ctx,
                                                            ccm_completion once) {
    const detail::RoutesC remove(batch->removals);
    const detail::RoutesC add(batch->changes.additions);
    apply(self, ctx, c_str(batch->changes.cluster_name), remove.data(), remove.size(), add.data(),
          add.size(), once);
  };
  auto ended = [this, batch](Result<std::vector<Status>> outcome) {
    applied(*batch, std::move(outcome));
  };
  provider_->call<std::vector<Status>>("routes.apply", batch->context, timeouts_.routes, {},
                                       std::move(invoke), copy_route_results, std::move(ended),
                                       std::move(turn));
}

void RoutesBroker::applied(Batch& batch, Result<std::vector<Status>> outcome) {
  const std::size_t removed = batch.removals.size();
  if (outcome.ok() && outcome->size() != removed + batch.changes.additions.size()) {
    outcome = Status(Code::internal, "the provider answered for another number of routes");
  }
  // Nothing is known of the outcome: what was allowed may be gone, so it stays counted.
  if (!outcome.ok()) return batch.done(outcome.status());
  for (std::size_t index = 0; index < outcome->size(); ++index) {
    const bool removal = index < removed;
    const std::size_t place =
        removal ? batch.allowed[index] : batch.changes.removals.size() + index - removed;
    batch.statuses[place] = (*outcome)[index];
    if (!removal) continue;
    const std::string key = key_of(batch.removals[index]);
    if (batch.statuses[place].ok()) {
      gate_.deleted(key);
    } else {
      gate_.not_deleted(key);
    }
  }
  batch.done(std::move(batch.statuses));
}

void RoutesBroker::limits(std::shared_ptr<Context> context,
                          std::function<void(Result<RouteLimits>)> done) {
  if (table_.limits == nullptr) return done(RouteLimits());
  auto invoke = [limits = table_.limits, self = self_](const ccm_ctx* ctx, ccm_completion once) {
    limits(self, ctx, once);
  };
  provider_->call<RouteLimits>("routes.limits", context, timeouts_.call, {}, std::move(invoke),
                               copy_route_limits, std::move(done));
}

}  // namespace ccm::plugin
