#include "routes.hpp"

#include "aws/api/error.hpp"
#include "aws/nodes/instance_view.hpp"
#include "aws/nodes/provider_id.hpp"

#include <ccm/cidr.hpp>
#include <ccm/gather.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr size_t kRoutesAtOnce = 4;
constexpr size_t kUsualLimit = 500;  // of a table (AWS-125)
constexpr size_t kNearlyFull = kUsualLimit * 9 / 10;
constexpr milliseconds kOldEnough{600'000};  // of instances: tags and zones do not change
constexpr milliseconds kFresh{30'000};       // of the check of a card

// What tells two routes of a destination apart.
std::string id_of(const TableRoute& route) {
  const std::string& target = route.instance.empty() ? route.card : route.instance;
  return route.destination + (target.empty() ? "" : " to " + target);
}

// The card that a route to the instance uses.
const NetworkCard* primary_card(const Ec2Instance& instance) {
  return instance.cards.empty() ? nullptr : &instance.cards.front();
}

std::string instance_of(const Route& route) {
  const auto id = parse_provider_id(route.target_provider_id);
  return id.ok() ? id->instance : std::string();
}

// The outcome for all tables, of those for each.
void keep_first(Status& first, Status next) {
  if (first.ok()) first = std::move(next);
}

// What ends a batch: no call is left. All else is one route's alone.
Status of_all(const Status& outcome) {
  return outcome.error_class() == ErrorClass::throttled ? outcome : Status();
}

}  // namespace

struct Routes::Known {
  std::vector<PodRouteTable> tables;
  InstanceMap instances;
};

Routes::Routes(Host& host, Client& client, const Settings& settings, const Cluster& cluster,
               Ec2Instances& instances)
    : host_(host),
      client_(client),
      settings_(settings),
      cluster_(cluster),
      instances_(instances),
      tables_(client, cluster),
      ranges_(RoutableRanges::of_flags(
          [&host](std::string_view name) { return host.config.flag(name); })) {}

RouteLimits Routes::limits() { return {}; }

bool Routes::is_owned(const TableRoute& route, const InstanceMap& instances) const {
  const auto range = parse_cidr(route.destination);
  if (!range || !ranges_.contains(*range)) return false;
  const bool machine = !route.instance.empty() || !route.card.empty();
  if (route.blackhole) return machine;
  const auto target = instances.find(route.instance);
  return target != instances.end() && is_of_cluster(target->second, cluster_);
}

Task<Result<Routes::Known>> Routes::read(Ctx ctx, const std::vector<Route>& additions) {
  Known known;
  auto tables = co_await tables_.read(ctx, settings_.route_table_id);
  if (!tables.ok()) co_return tables.status();
  known.tables = *std::move(tables);
  std::set<std::string> targets;
  for (const PodRouteTable& table : known.tables) {
    warn_of_fill(table);
    for (const TableRoute& route : table.routes) {
      if (!route.instance.empty()) targets.insert(route.instance);
    }
  }
  std::vector<std::string> ids(targets.begin(), targets.end());
  auto instances = co_await instances_.by_ids(ctx, std::move(ids), kOldEnough);
  if (!instances.ok()) co_return instances.status();
  known.instances = *std::move(instances);
  ids.clear();
  for (const Route& route : additions) ids.push_back(instance_of(route));
  std::erase(ids, "");
  auto fresh = co_await instances_.by_ids(ctx, std::move(ids), kFresh);
  if (!fresh.ok()) co_return fresh.status();
  for (auto& [id, instance] : *fresh) known.instances.insert_or_assign(id, std::move(instance));
  co_return known;
}

Task<Result<std::vector<Route>>> Routes::list(Ctx ctx, std::string /*cluster_name*/) {
  const std::vector<Route> none;
  auto known = co_await read(ctx, none);
  if (!known.ok()) co_return known.status();
  std::map<std::string, size_t> in_tables;  // by id
  for (const PodRouteTable& table : known->tables) {
    for (const TableRoute& route : table.routes) ++in_tables[id_of(route)];
  }
  std::vector<Route> routes;
  for (const PodRouteTable& table : known->tables) {
    for (const TableRoute& route : table.routes) {
      const auto count = in_tables.find(id_of(route));
      if (count == in_tables.end()) continue;  // it stands there already
      Route& listed = routes.emplace_back();
      listed.id = count->first;
      listed.destination_cidr = route.destination;
      listed.blackhole = route.blackhole;
      listed.owned = is_owned(route, known->instances);
      const auto target = known->instances.find(route.instance);
      const bool everywhere = count->second == known->tables.size();
      if (everywhere && target != known->instances.end()) {
        listed.target_provider_id = provider_id(target->second.zone, target->second.id);
      }
      in_tables.erase(count);
    }
  }
  co_return routes;
}

// Once for each ten further routes.
void Routes::warn_of_fill(const PodRouteTable& table) {
  const size_t size = table.routes.size();
  if (size < kNearlyFull || size < warned_of_[table.id] + 10) return;
  warned_of_[table.id] = size;
  host_.log.warning(
      "A route table is nearly full: AWS gives a table 500 routes unless its quota was raised",
      {{"table", table.id}, {"routes", std::to_string(size)}});
}

Task<Routes::Statuses> Routes::apply(Ctx ctx, std::string /*cluster_name*/,
                                     std::vector<Route> removals, std::vector<Route> additions) {
  auto known = co_await read(ctx, additions);
  if (!known.ok()) co_return known.status();
  std::set<std::string> wanted;
  for (const Route& route : additions) wanted.insert(route.destination_cidr);
  const size_t removed_count = removals.size();
  std::vector<Status> statuses(removed_count + additions.size());
  // A range that gets another target is led there, and never without one.
  std::vector<size_t> gone;
  for (size_t i = 0; i < removed_count; ++i) {
    if (!wanted.contains(removals[i].destination_cidr)) gone.push_back(i);
  }
  std::function<Task<Status>(size_t)> remove_one = [&](size_t i) {
    return remove(ctx, *known, removals[gone[i]], statuses[gone[i]]);
  };
  std::function<Task<Status>(size_t)> add_one = [&](size_t i) {
    return add(ctx, *known, additions[i], statuses[removed_count + i]);
  };
  Status status = co_await gather(host_.post, gone.size(), kRoutesAtOnce, remove_one);
  if (!status.ok()) co_return status;
  status = co_await gather(host_.post, additions.size(), kRoutesAtOnce, add_one);
  if (!status.ok()) co_return status;
  co_return statuses;
}

Task<Status> Routes::remove(Ctx ctx, const Known& known, const Route& route, Status& outcome) {
  outcome = co_await removed(ctx, known, route);
  co_return of_all(outcome);
}

Task<Status> Routes::removed(Ctx ctx, const Known& known, const Route& route) {
  Status outcome;
  for (const PodRouteTable& table : known.tables) {
    const TableRoute* present = table.find(route.destination_cidr);
    if (present == nullptr || id_of(*present) != route.id) continue;
    if (!is_owned(*present, known.instances)) {
      keep_first(outcome, Status(Code::failed_precondition,
                                 "the route " + route.id + " of " + table.id + " is not ours")
                              .with_reason(CCM_REASON_NOT_OWNED));
      continue;
    }
    Status status = co_await tables_.remove(ctx, table.id, route.destination_cidr);
    if (!of_all(status).ok()) co_return status;
    keep_first(outcome, std::move(status));
  }
  co_return outcome;
}

Task<Status> Routes::add(Ctx ctx, const Known& known, const Route& route, Status& outcome) {
  outcome = co_await added(ctx, known, route);
  co_return of_all(outcome);
}

Task<Status> Routes::added(Ctx ctx, const Known& known, const Route& route) {
  const auto found = known.instances.find(instance_of(route));
  if (found == known.instances.end()) {
    co_return Status(Code::failed_precondition, "there is no instance " + route.target_provider_id +
                                                    " of Node " + route.target_node)
        .with_reason("InstanceNotFound");
  }
  const Ec2Instance& instance = found->second;
  Status status = check_of_cluster(instance, cluster_);
  if (!status.ok()) co_return status;
  status = co_await switch_check_off(ctx, instance);
  if (!status.ok()) co_return status;
  const NetworkCard* card = primary_card(instance);
  const RouteTarget target{instance.id, instance.cards.size() > 1 ? card->id : std::string()};
  Status outcome;
  for (const PodRouteTable& table : known.tables) {
    status = co_await added_to(ctx, known, table, route.destination_cidr, target);
    if (!of_all(status).ok()) co_return status;
    keep_first(outcome, std::move(status));
  }
  co_return outcome;
}

Task<Status> Routes::added_to(Ctx ctx, const Known& known, const PodRouteTable& table,
                              std::string destination, RouteTarget target) {
  const TableRoute* present = table.find(destination);
  const bool there = present != nullptr && !present->blackhole;
  if (there && present->instance == target.instance) co_return Status();
  if (present != nullptr && !is_owned(*present, known.instances)) {
    co_return Status(Code::failed_precondition, "in " + table.id + " " + destination +
                                                    " leads elsewhere by a route that is not ours")
        .with_reason("RouteConflict");
  }
  Status status = co_await tables_.put(ctx, table.id, destination, target, present != nullptr);
  // After a lost answer: it is there, and the next listing says where it leads (AWS-168).
  if (has_code(status, "RouteAlreadyExists")) status.with_class(ErrorClass::conflict);
  co_return status;
}

// With several cards EC2 refuses the instance's attribute: the card has one of its own (AWS-153).
Task<Status> Routes::switch_check_off(Ctx ctx, const Ec2Instance& instance) {
  const NetworkCard* card = primary_card(instance);
  const bool several = instance.cards.size() > 1;
  const bool on = card != nullptr ? card->source_dest_check : instance.source_dest_check;
  if (!on) co_return Status();
  Call call{Api::ec2, several ? "ModifyNetworkInterfaceAttribute" : "ModifyInstanceAttribute"};
  if (several) {
    call.params.set("NetworkInterfaceId", card->id);
  } else {
    call.params.set("InstanceId", instance.id);
  }
  call.params.set("SourceDestCheck.Value", false);
  call.idempotent = true;
  call.replaces = "the check of source and destination of " + instance.id;
  Status status = co_await client_.run(ctx, std::move(call));
  co_return status;
}

}  // namespace ccm::aws
