// Routes of the cloud's network: ccm/abi/routes.h.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace ccm::conformance {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/routes.h";

std::optional<Route> find(const std::vector<Route>& routes, const std::string& cidr) {
  for (const Route& route : routes) {
    if (route.destination_cidr == cidr) return route;
  }
  return std::nullopt;
}

Outcome apply(Trial& trial, std::vector<Route> removals, std::vector<Route> additions) {
  return trial.run("apply", apply_routes(trial, std::move(removals), std::move(additions)), 60s);
}

bool is_known(const Status& status) {
  const auto code = static_cast<int32_t>(status.code());
  return (code >= CCM_CODE_OK && code <= CCM_CODE_UNAUTHENTICATED) ||
         code == CCM_CODE_IMPLEMENTED_ELSEWHERE;
}

void lists(Trial& trial) {
  trial.need(kListRoutes);
  const Outcome outcome = trial.run(kListRoutes);
  if (outcome.status.message() == "the operation never completed") {
    Trial::skip("list never completes; see ROUTES-50");
  }
  Trial::expect(outcome.ok(), "list failed with " + describe(outcome.status));
}

void lists_soundly(Trial& trial) {
  trial.need(kListRoutes);
  const Outcome outcome = trial.run(kListRoutes);
  if (!outcome.ok()) Trial::skip("list fails; see ROUTES-01");
  Trial::expect(outcome.problems.empty(), outcome.problems.empty() ? "" : outcome.problems.front());
}

void adds(Trial& trial) {
  trial.need(kAddRoute);
  const Route wanted = trial.route(1);
  const Outcome outcome = trial.run(kAddRoute, 1);
  if (outcome.status.message() == "the operation never completed") {
    Trial::skip("apply never completes; see ROUTES-51");
  }
  if (!outcome.problems.empty()) Trial::skip("its result is broken; see ROUTES-04");
  Trial::expect(outcome.ok(), "apply failed with " + describe(outcome.status));
  if (outcome.changes.size() != 1) Trial::skip("apply answers for other changes; see ROUTES-04");
  if (!is_known(outcome.changes.front())) Trial::skip("its status is unknown; see ROUTES-04");
  Trial::expect(outcome.changes.front().ok(),
                "the route was not added: " + describe(outcome.changes.front()));
  const auto found = find(trial.listed_routes(), wanted.destination_cidr);
  Trial::expect(found.has_value(), "a route that was added is not listed");
  Trial::expect(found->owned, "a route that was added is not OWNED");
  Trial::expect(
      found->target_node.empty() || found->target_node == wanted.target_node,
      fmt::format("the route leads to {}, not to {}", found->target_node, wanted.target_node));
}

// Any number, and a sound status for each.
void answers_for_each(Trial& trial) {
  trial.need(kAddRoute);
  Route first;
  first.destination_cidr = "10.244.1.0/24";
  first.target_node = "node-1";
  Route second = first;
  second.destination_cidr = "10.244.2.0/24";
  const Outcome outcome = apply(trial, {}, {first, second});
  if (!outcome.ok()) Trial::skip("apply fails (" + describe(outcome.status) + ")");
  Trial::expect(outcome.problems.empty(), outcome.problems.empty() ? "" : outcome.problems.front());
  Trial::expect(outcome.changes.size() == 2,
                fmt::format("apply of 2 changes has {} statuses", outcome.changes.size()));
  for (const Status& change : outcome.changes) {
    Trial::expect(is_known(change), "a change has a status of unknown " + describe(change));
  }
}

void completes_once(Trial& trial) {
  trial.need(kListRoutes);
  trial.run(kListRoutes);
  if (trial.offers(kAddRoute)) trial.run(kAddRoute, 1);
  trial.run_now([&] { return !trial.host.faults().empty(); });
  for (const std::string& line : trial.host.faults()) {
    Trial::expect(line.find("status") != std::string::npos, line);
  }
}

void has_known_status(Trial& trial) {
  trial.need(kListRoutes);
  trial.run(kListRoutes);
  for (const std::string& line : trial.host.faults()) {
    Trial::expect(line.find("status") == std::string::npos, line);
  }
}

void adds_once(Trial& trial) {
  trial.need(kAddRoute);
  trial.run_well(kAddRoute, 1);
  trial.watch_cloud();
  const Outcome again = trial.run(kAddRoute, 1);
  Trial::expect(
      again.ok() && again.changes.size() == 1 && again.changes.front().ok(),
      "adding a route that exists ended with " +
          describe(again.ok() && !again.changes.empty() ? again.changes.front() : again.status));
  const std::string cidr = trial.route(1).destination_cidr;
  int count = 0;
  for (const Route& route : trial.listed_routes()) count += route.destination_cidr == cidr ? 1 : 0;
  Trial::expect(count == 1, fmt::format("adding a route twice leads to {} routes", count));
}

void removes(Trial& trial) {
  trial.need(kAddRoute);
  trial.run_well(kAddRoute, 1);
  trial.run_well(kAddRoute, 2);
  trial.run_well(kAddRoute, 3);
  const Outcome outcome = trial.run(kRemoveRoute, 3);
  Trial::expect(outcome.ok() && outcome.changes.size() == 1 && outcome.changes.front().ok(),
                "removing a route failed with " + describe(outcome.status));
  const auto routes = trial.listed_routes();
  Trial::expect(!find(routes, trial.route(3).destination_cidr),
                "a route that was removed is still listed");
  Trial::expect(find(routes, trial.route(1).destination_cidr).has_value(),
                "the removal of one route took another along");
}

void removes_twice(Trial& trial) {
  trial.need(kAddRoute);
  trial.run_well(kAddRoute, 1);
  const auto route = find(trial.listed_routes(), trial.route(1).destination_cidr);
  if (!route) Trial::skip("a route that was added is not listed; see ROUTES-03");
  apply(trial, {*route}, {});
  const Outcome again = apply(trial, {*route}, {});
  Trial::expect(
      again.ok() && again.changes.size() == 1 && again.changes.front().ok(),
      "removing a route that is gone ended with " +
          describe(again.ok() && !again.changes.empty() ? again.changes.front() : again.status));
}

void removes_then_adds(Trial& trial) {
  trial.need(kAddRoute);
  trial.run_well(kAddRoute, 1);
  const auto route = find(trial.listed_routes(), trial.route(1).destination_cidr);
  if (!route) Trial::skip("a route that was added is not listed; see ROUTES-03");
  Route moved = trial.route(1);
  const Backend& other = *(trial.backends().begin() + 1);
  moved.target_node = other.name;
  moved.target_provider_id = other.provider_id;
  moved.target_addresses = other.addresses;
  moved.name_hint = "moved-" + moved.name_hint;
  const Outcome outcome = apply(trial, {*route}, {moved});
  Trial::expect(outcome.ok(),
                "apply of a removal and an addition ended with " + describe(outcome.status));
  if (outcome.changes.size() != 2) Trial::skip("apply answers for other changes; see ROUTES-04");
  for (const Status& change : outcome.changes) {
    Trial::expect(change.ok(), "a route that changes its Node: " + describe(change));
  }
  const auto now = find(trial.listed_routes(), moved.destination_cidr);
  Trial::expect(now.has_value(), "a route that changed its Node is gone");
  Trial::expect(now->target_node.empty() || now->target_node == other.name,
                "a route that changed its Node leads to the old one");
}

void lists_without_writing(Trial& trial) {
  trial.need(kListRoutes);
  trial.listed_routes();
  trial.watch_cloud();
  trial.listed_routes();
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(), "list changes the cloud: " + changes);
}

void lists_foreign_ones(Trial& trial) {
  trial.need(kListRoutes);
  const Machine target = trial.machines(1).front();
  trial.listed_routes();
  trial.ask({{"do", "plant-route"},
             {"cidr", "10.99.0.0/24"},
             {"name", target.name},
             {"providerID", target.provider_id}});
  trial.host.loop.advance(60s);
  const auto found = find(trial.listed_routes(), "10.99.0.0/24");
  Trial::expect(found.has_value(), "a route that somebody else made is not listed");
  Trial::expect(!found->owned, "a route that somebody else made is OWNED");
}

void makes_the_others(Trial& trial) {
  trial.need(kAddRoute);
  Route wrong = trial.route(1);
  wrong.target_node = "no-such-node";
  wrong.target_provider_id =
      trial.subject().prefixes.empty() ? "" : trial.subject().prefixes.front() + "no-such-machine";
  wrong.target_addresses = {{"InternalIP", "203.0.113.200"}};
  wrong.node = {};
  trial.run_well(kAddRoute, 3);
  const Outcome outcome = apply(trial, {}, {wrong, trial.route(2)});
  Trial::expect(outcome.ok(),
                "apply with an impossible route ended with " + describe(outcome.status));
  if (outcome.changes.size() != 2) Trial::skip("apply answers for other changes; see ROUTES-04");
  Trial::expect(!outcome.changes[0].ok(), "a route to an instance that does not exist was added");
  Trial::expect(outcome.changes[1].ok(), "one route that fails keeps another from being made: " +
                                             describe(outcome.changes[1]));
}

void fails_or_is_whole(Trial& trial, const char* what, const Break& how) {
  trial.need(kListRoutes);
  trial.run_well(kAddRoute, 1);
  const std::size_t whole = trial.listed_routes().size();
  trial.need_http();
  for (std::size_t step = 0; step < 12; ++step) {
    trial.network.restart();
    trial.network.break_at(step, how);
    const Outcome outcome = trial.run(kListRoutes);
    if (trial.network.count() <= step) {
      if (step == 0) Trial::skip("list asks the cloud for nothing");
      return;
    }
    Trial::expect(!outcome.ok() || outcome.routes.size() == whole,
                  fmt::format("{} instead of the answer to request {}, and list succeeds with {} "
                              "routes of {}",
                              what, step + 1, outcome.routes.size(), whole));
  }
}

void survives_500(Trial& trial) { fails_or_is_whole(trial, "a 500", Break::with(500, "{}")); }
void survives_404(Trial& trial) { fails_or_is_whole(trial, "a 404", Break::with(404, "{}")); }
void survives_empty(Trial& trial) {
  fails_or_is_whole(trial, "an empty object", Break::with(200, "{}"));
}
void survives_half(Trial& trial) {
  fails_or_is_whole(trial, "half of the body", {Break::Kind::half});
}

void survives_lost_answers(Trial& trial) {
  trial.need(kAddRoute);
  trial.listed_routes();
  trial.network.restart();
  trial.run_well(kAddRoute, 1);
  const auto places = trial.network.write_places();
  if (places.empty()) Trial::skip("apply writes nothing through " CCM_HOST_HTTP);
  for (std::size_t i = 0; i < places.size() && i < 8; ++i) {
    const int number = 2 + static_cast<int>(i);
    trial.route(number);
    trial.network.restart();
    trial.network.break_at(places[i], {Break::Kind::lost_answer});
    trial.run(kAddRoute, number);
    trial.network.restart();
    const Outcome again = trial.run(kAddRoute, number);
    Trial::expect(
        again.ok() && again.changes.size() == 1 && again.changes.front().ok(),
        "after a lost answer, apply ended with " +
            describe(again.ok() && !again.changes.empty() ? again.changes.front() : again.status));
    const std::string cidr = trial.route(number).destination_cidr;
    int count = 0;
    for (const Route& route : trial.listed_routes()) {
      count += route.destination_cidr == cidr ? 1 : 0;
    }
    Trial::expect(count == 1,
                  fmt::format("after a lost answer there are {} routes to {}", count, cidr));
  }
}

std::vector<Route> batch_of_routes(Trial& trial) {
  constexpr int kBatch = 12;
  int64_t limit = kBatch;
  if (trial.offers(kRouteLimits)) {
    const Outcome outcome = trial.run_well(kRouteLimits);
    if (outcome.limits.size() > 2 && outcome.limits[2] > 0) {
      limit = std::min<int64_t>(limit, outcome.limits[2]);
    }
  }
  std::vector<Route> routes;
  for (int64_t i = 0; i < limit; ++i) routes.push_back(trial.route(1 + static_cast<int>(i)));
  return routes;
}

bool waits(const Outcome& outcome) {
  return std::any_of(outcome.changes.begin(), outcome.changes.end(), [](const Status& change) {
    return change.error_class() == ErrorClass::waiting;
  });
}

// The status of the operation, or of its first change that failed.
Status worst_of(const Outcome& outcome) {
  if (!outcome.ok()) return outcome.status;
  for (const Status& change : outcome.changes) {
    if (!change.ok()) return change;
  }
  return {};
}

// What says that the account's limit of calls is reached: the operation, or one of its changes.
Status throttled_of(const Outcome& outcome) {
  if (!outcome.ok()) return outcome.status;
  for (const Status& change : outcome.changes) {
    if (change.error_class() == ErrorClass::throttled) return change;
  }
  return {};
}

// One apply after another, as the host does while the cloud works, until request `step` got a 429.
// Whether there was such a request.
bool meets_a_rate_limit(Trial& trial, const std::vector<Route>& routes, std::size_t step) {
  constexpr std::size_t kUnderWay = 8;  // requests that were sent beside the one that was refused
  trial.network.restart();
  trial.network.break_at(
      step, Break::with(429, "{}", {{"retry-after", "7"}, {"content-type", "application/json"}}));
  for (int round = 0; round < 60; ++round) {
    Call call = apply_routes(trial, {}, routes);
    call.ctx = trial.host.contexts.make(60s);
    const Outcome outcome = trial.finish(trial.created().start("apply", std::move(call)));
    if (trial.network.count() > step) {
      const Status said = throttled_of(outcome);
      Trial::expect(said.error_class() == ErrorClass::throttled,
                    fmt::format("after a 429 for request {} of a batch, apply ended with {}",
                                step + 1, describe(said)));
      Trial::expect(said.retry_after() >= 7s,
                    fmt::format("after a 429 for request {} with \"Retry-After: 7\", apply says "
                                "{} ms",
                                step + 1, said.retry_after().count()));
      Trial::expect(
          trial.network.count() <= step + 1 + kUnderWay,
          fmt::format("after a 429 for request {} of a batch, apply goes on with {} others",
                      step + 1, trial.network.count() - step - 1));
      return true;
    }
    if (!waits(outcome)) return false;
    trial.host.loop.advance(5s);
  }
  Trial::skip("apply waits for ever; see ROUTES-03");
}

// The account's limit of calls is reached in the middle of a batch: apply says so, asks for no
// more, and the next one makes what is missing, once.
void stops_at_a_rate_limit(Trial& trial) {
  trial.need(kAddRoute);
  trial.run_well(kAddRoute, 100);
  trial.need_http();
  const std::vector<Route> routes = batch_of_routes(trial);
  for (std::size_t step = 0; step < 24; ++step) {
    const bool met = meets_a_rate_limit(trial, routes, step);
    trial.network.restart();
    const Status mended = worst_of(apply(trial, {}, routes));
    Trial::expect(mended.ok(),
                  fmt::format("after a 429 for request {}, the next apply ended with {}", step + 1,
                              describe(mended)));
    std::vector<Route> made;
    for (const Route& listed : trial.listed_routes()) {
      if (find(routes, listed.destination_cidr)) made.push_back(listed);
    }
    Trial::expect(made.size() == routes.size(),
                  fmt::format("after a 429 for request {} there are {} routes of {}", step + 1,
                              made.size(), routes.size()));
    if (!met) return;
    apply(trial, made, {});
  }
}

void has_sensible_limits(Trial& trial) {
  trial.need(kRouteLimits);
  const Outcome outcome = trial.run(kRouteLimits);
  Trial::expect(outcome.ok(), "limits failed with " + describe(outcome.status));
  if (outcome.limits.empty()) Trial::fail("limits has no result");
  Trial::expect(outcome.limits[0] >= 0 && outcome.limits[0] <= 600'000,
                fmt::format("a time limit of {} ms", outcome.limits[0]));
  Trial::expect(outcome.limits[1] >= 0 && outcome.limits[2] >= 0, "a limit below 0");
}

void ends_after_its_deadline(Trial& trial, const Method& method) {
  trial.need(method);
  const auto pending = trial.begin(method, trial.host.contexts.make(5s), 1);
  trial.run_now([&] { return pending.done(); });
  if (pending.done()) Trial::skip(fmt::format("{} completes at once", method.name));
  trial.host.loop.advance(5s);
  Trial::expect(trial.run_now([&] { return pending.done(); }),
                fmt::format("{} does not complete soon after its deadline", method.name));
}

}  // namespace

void add_route_cases(Cases& cases) {
  cases.insert(
      cases.end(),
      {{"ROUTES-01", "list succeeds", kHeader, "ccm_cloud_routes.list", &lists},
       {"ROUTES-02", "a listing has no holes, and its counts are right", kHeader, "ccm_route_list",
        &lists_soundly},
       {"ROUTES-03", "a route that was added is listed as OWNED", kHeader,
        "ccm_cloud_routes.apply, R-81", &adds},
       {"ROUTES-04", "apply answers for each change with a known status", kHeader,
        "ccm_route_results", &answers_for_each},
       {"ROUTES-05", "list and apply complete exactly once and throw nothing", "ccm/abi/status.h",
        "R-30, R-16", &completes_once},
       {"ROUTES-06", "list completes with a status of known code and class", "ccm/abi/status.h",
        "ccm_status", &has_known_status},
       {"ROUTES-07", "adding a route that exists is a success", kHeader, "R-83", &adds_once},
       {"ROUTES-08", "a route that was removed is gone, and no other", kHeader,
        "ccm_cloud_routes.apply", &removes},
       {"ROUTES-09", "removing a route that is gone is a success", kHeader, "R-83", &removes_twice},
       {"ROUTES-10", "removals come before additions", kHeader, "ccm_cloud_routes.apply",
        &removes_then_adds},
       {"ROUTES-11", "list writes nothing", kHeader, "ccm_cloud_routes.list",
        &lists_without_writing},
       {"ROUTES-12", "a route of somebody else is listed, and is not OWNED", kHeader, "R-80, R-81",
        &lists_foreign_ones},
       {"ROUTES-13", "one change that fails keeps no other from being made", kHeader, "R-83",
        &makes_the_others},
       {"ROUTES-14", "a 500 makes no route vanish", kHeader, "R-80", &survives_500},
       {"ROUTES-15", "a 404 makes no route vanish", kHeader, "R-80", &survives_404},
       {"ROUTES-16", "an answer without the list makes no route vanish", kHeader, "R-80",
        &survives_empty},
       {"ROUTES-17", "half of an answer makes no route vanish", kHeader, "R-80", &survives_half},
       {"ROUTES-18", "a lost answer of apply leads to no second route", kHeader, "R-83",
        &survives_lost_answers},
       {"ROUTES-19", "limits are numbers that the host can keep", kHeader, "ccm_route_limits",
        &has_sensible_limits},
       {"ROUTES-24", "apply stops at a 429 in the middle of a batch, and goes on later",
        "ccm/abi/status.h", "CCM_CLASS_THROTTLED", &stops_at_a_rate_limit},
       {"ROUTES-50", "list completes after its deadline, whatever it waits for", "ccm/abi/ctx.h",
        "R-41", [](Trial& trial) { ends_after_its_deadline(trial, kListRoutes); }},
       {"ROUTES-51", "apply completes after its deadline, whatever it waits for", "ccm/abi/ctx.h",
        "R-41", [](Trial& trial) { ends_after_its_deadline(trial, kAddRoute); }}});
}

}  // namespace ccm::conformance
