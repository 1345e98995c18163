// Load balancers, from nothing to nothing: ccm/abi/loadbalancers.h.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <ccm/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/loadbalancers.h";

const char* name_of_state(LoadBalancerState state) {
  static constexpr const char* kNames[] = {"UNKNOWN", "ABSENT", "PENDING",
                                           "ACTIVE",  "SHARED", "FOREIGN"};
  return kNames[static_cast<int>(state)];
}

void skip_if_elsewhere(const Outcome& outcome) {
  if (outcome.status.code() == Code::implemented_elsewhere) {
    Trial::skip("another program does it: " + std::string(outcome.status.message()));
  }
}

// Cases of their own are about these.
void skip_if_broken(Trial& trial, const Outcome& outcome) {
  skip_if_elsewhere(outcome);
  if (outcome.status.message() == "the operation never completed") {
    Trial::skip("ensure never completes; see LOADBALANCERS-90");
  }
  for (const std::string& line : trial.host.faults()) {
    if (line.find("status") != std::string::npos) Trial::skip(line + "; see LOADBALANCERS-04");
  }
}

void makes_one(Trial& trial) {
  trial.need(kEnsure);
  const Outcome outcome = trial.ensure_until_active(0);
  skip_if_broken(trial, outcome);
  Trial::expect(outcome.ok(), "ensure failed with " + describe(outcome.status));
  if (!outcome.problems.empty()) Trial::skip("its result is broken; see LOADBALANCERS-02");
  const LoadBalancer& balancer = outcome.balancer;
  Trial::expect(balancer.state == LoadBalancerState::active,
                fmt::format("after a minute of ensure the load balancer is {}",
                            name_of_state(balancer.state)));
  Trial::expect(!balancer.id.empty(), "an ACTIVE load balancer has no id");
  Trial::expect(!balancer.ingress.empty(), "an ACTIVE load balancer has no ingress");
}

void answers_soundly(Trial& trial) {
  trial.need(kEnsure);
  const Outcome outcome = trial.run(kEnsure);
  skip_if_elsewhere(outcome);
  if (!outcome.has_result) Trial::skip("ensure has no result; see LOADBALANCERS-01");
  Trial::expect(outcome.problems.empty(), outcome.problems.empty() ? "" : outcome.problems.front());
}

void completes_once(Trial& trial) {
  trial.need(kEnsure);
  trial.run(kEnsure);
  trial.network.break_all(Break::with(500, "{}"));
  trial.run(kEnsure);
  trial.run_now([&] { return !trial.host.faults().empty(); });
  for (const std::string& line : trial.host.faults()) {
    Trial::expect(line.find("status") != std::string::npos, line);
  }
}

void has_known_status(Trial& trial) {
  trial.need(kEnsure);
  trial.run(kEnsure);
  for (const std::string& line : trial.host.faults()) {
    Trial::expect(line.find("status") == std::string::npos, line);
  }
}

void writes_a_difference_only(Trial& trial) {
  trial.ensured();
  trial.watch_cloud();
  const Outcome second = trial.run(kEnsure);
  Trial::expect(second.ok(), "a second ensure failed with " + describe(second.status));
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "a second ensure of the same request changes the cloud: " + changes);
  Trial::expect(second.balancer.difference.empty(),
                "a second ensure says that it changed something: " + second.balancer.difference);
}

void observes_what_is_there(Trial& trial) {
  trial.need(kObserve);
  const LoadBalancer made = trial.ensured();
  trial.watch_cloud();
  const Outcome seen = trial.run(kObserve);
  Trial::expect(seen.ok() && seen.problems.empty(), "observe failed with " + describe(seen.status));
  Trial::expect(seen.balancer.state == LoadBalancerState::active,
                fmt::format("observe of an ACTIVE load balancer says {}",
                            name_of_state(seen.balancer.state)));
  Trial::expect(seen.balancer.id == made.id, "observe gives another id than ensure");
  Trial::expect(seen.balancer.difference.empty(),
                "observe sees a difference right after ensure: " + seen.balancer.difference);
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(), "observe changes the cloud: " + changes);
}

void observes_nothing(Trial& trial) {
  trial.need(kObserve);
  trial.backends();
  trial.watch_cloud();
  const Outcome seen = trial.run(kObserve);
  skip_if_elsewhere(seen);
  Trial::expect(seen.ok(),
                "observe of a Service without load balancer failed with " + describe(seen.status));
  Trial::expect(seen.balancer.state == LoadBalancerState::absent,
                fmt::format("observe of a Service without load balancer says {}",
                            name_of_state(seen.balancer.state)));
  Trial::expect(seen.balancer.id.empty(), "an ABSENT load balancer has an id");
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(), "observe changes the cloud: " + changes);
}

void observes_a_difference(Trial& trial) {
  trial.need(kObserve);
  trial.ensured();
  trial.service(0).ports.front().port = 81;
  trial.watch_cloud();
  const Outcome seen = trial.run(kObserve);
  Trial::expect(seen.ok(), "observe failed with " + describe(seen.status));
  Trial::expect(!seen.balancer.difference.empty(),
                "the Service has another port, and observe sees no difference");
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(), "observe changes the cloud: " + changes);
}

void changes_ports(Trial& trial) {
  trial.ensured();
  trial.service(0).ports.front().port = 8081;
  trial.watch_cloud();
  const Outcome changed = trial.ensure_until_active(0);
  Trial::expect(changed.ok() && changed.balancer.state == LoadBalancerState::active,
                "ensure with another port ended with " + describe(changed.status));
  Trial::expect(!trial.changed().empty(),
                "the Service has another port, and ensure changes nothing in the cloud");
  trial.watch_cloud();
  trial.run(kEnsure);
  const std::string again = trial.changed();
  Trial::expect(again.empty(), "after the change, ensure writes again and again: " + again);
  Trial::expect(!changed.balancer.id.empty(), "the load balancer lost its id");
}

void updates_backends(Trial& trial) {
  trial.need(kUpdateBackends);
  trial.ensured();
  trial.run_well(kUpdateBackends);
  trial.watch_cloud();
  trial.run_well(kUpdateBackends);
  std::string changes = trial.changed();
  Trial::expect(changes.empty(), "update_backends of the same Nodes changes the cloud: " + changes);
  std::vector<Backend> fewer(trial.backends().begin(), trial.backends().end());
  fewer.pop_back();
  trial.backends() = Backends(std::move(fewer));
  trial.watch_cloud();
  Outcome outcome;
  for (int round = 0; round < 30; ++round) {
    outcome = trial.run(kUpdateBackends);
    const bool waits = outcome.status.error_class() == ErrorClass::waiting ||
                       outcome.balancer.state == LoadBalancerState::pending;
    if (!waits) break;
    trial.host.loop.advance(5s);
  }
  Trial::expect(outcome.ok(), "update_backends failed with " + describe(outcome.status));
  Trial::expect(!trial.changed().empty(),
                "a Node is gone, and update_backends changes nothing in the cloud");
  trial.watch_cloud();
  trial.run(kUpdateBackends);
  changes = trial.changed();
  Trial::expect(changes.empty(), "update_backends writes again and again: " + changes);
}

bool is_refusal(const Outcome& outcome) {
  const ErrorClass error = outcome.status.error_class();
  return error == ErrorClass::invalid_spec || error == ErrorClass::unsupported;
}

// Whether ensure changes the cloud after what happened, once; where it may refuse, that will do.
bool follows(Trial& trial, const char* what, bool may_refuse = false) {
  trial.watch_cloud();
  const Outcome outcome = trial.ensure_until_active(0);
  if (may_refuse && is_refusal(outcome)) return true;
  Trial::expect(outcome.ok(),
                fmt::format("{}, and ensure failed with {}", what, describe(outcome.status)));
  const bool changed = !trial.changed().empty();
  trial.watch_cloud();
  trial.run(kEnsure);
  const std::string again = trial.changed();
  Trial::expect(again.empty(),
                fmt::format("{}, and ensure writes again and again: {}", what, again));
  return changed;
}

bool follows(Trial& trial, std::vector<Backend> backends, const char* what) {
  trial.backends() = Backends(std::move(backends));
  return follows(trial, what);
}

void follows_members(Trial& trial) {
  trial.ensured();
  const std::vector<Backend> both(trial.backends().begin(), trial.backends().end());
  const bool follows_going = follows(trial, {both.front()}, "a Node went");
  const bool follows_coming = follows(trial, both, "a Node came back");
  const bool follows_another = follows(trial, {both.back()}, "the first Node went");
  Trial::expect(follows_going, "a Node went, and ensure changes nothing in the cloud");
  Trial::expect(follows_coming, "a Node came back, and ensure changes nothing in the cloud");
  Trial::expect(follows_another, "the first Node went, and ensure changes nothing in the cloud");
}

void follows_a_second_port(Trial& trial) {
  trial.ensured();
  trial.service(0).ports.push_back({"other", "TCP", "", 8443, 30444});
  Trial::expect(follows(trial, "the Service has a second port"),
                "the Service has a second port, and ensure changes nothing in the cloud");
  trial.service(0).ports.pop_back();
  Trial::expect(follows(trial, "the second port went"),
                "the second port went, and ensure changes nothing in the cloud");
}

// Skips where traffic comes to the Nodes with the load balancer's own address: the cloud hears of
// no node port then, and kube-proxy itself keeps to source ranges.
void need_node_port(Trial& trial) {
  const std::string port = std::to_string(trial.service(0).ports.front().node_port);
  const std::vector<HttpRequest> requests = trial.host.http.requests();
  const bool sent = std::any_of(
      requests.begin(), requests.end(),
      [&port](const HttpRequest& request) { return request.body.find(port) != std::string::npos; });
  if (!sent && trial.need_snapshot().dump().find(port) == std::string::npos) {
    Trial::skip("the cloud hears of no node port");
  }
}

void follows_a_node_port(Trial& trial) {
  trial.ensured();
  need_node_port(trial);
  trial.service(0).ports.front().node_port = 30999;
  Trial::expect(follows(trial, "the node port is another one"),
                "the node port is another one, and ensure changes nothing in the cloud");
}

void follows_the_protocol(Trial& trial) {
  trial.ensured();
  trial.service(0).ports.front().protocol = "UDP";
  Trial::expect(follows(trial, "the protocol is UDP", true),
                "the protocol is UDP, and ensure neither refuses it nor changes the cloud");
}

// The Service changes while the cloud still makes its load balancer.
void follows_a_change_meanwhile(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  const Outcome begun = trial.run(kEnsure);
  const bool works = begun.balancer.state == LoadBalancerState::pending ||
                     begun.status.error_class() == ErrorClass::waiting;
  if (!works) Trial::skip("the cloud makes it at once");
  trial.service(0).id = begun.balancer.id;
  trial.service(0).ports.front().port = 8081;
  const Outcome ended = trial.ensure_until_active(0);
  Trial::expect(ended.ok() && ended.balancer.state == LoadBalancerState::active,
                "the port changed while the cloud made the load balancer, and ensure ends with " +
                    describe(ended.status));
  trial.watch_cloud();
  trial.run(kEnsure);
  const std::string late = trial.changed();
  Trial::expect(late.empty(), "ensure says ACTIVE before it has followed the change: " + late);
}

// Clients that were to be kept out come in otherwise, and nobody hears of it.
void keeps_to_source_ranges(Trial& trial) {
  trial.ensured();
  need_node_port(trial);
  trial.service(0).source_ranges = {"192.0.2.0/24"};
  const std::size_t told = trial.host.events.all().size();
  const bool followed = follows(trial, "the Service has a source range", true);
  Trial::expect(followed || trial.host.events.all().size() > told,
                "the Service has a source range, and ensure neither changes the cloud, refuses it "
                "nor records an Event");
}

void updates_nothing_that_is_absent(Trial& trial) {
  trial.need(kUpdateBackends);
  trial.backends();
  trial.watch_cloud();
  const Outcome outcome = trial.run(kUpdateBackends);
  skip_if_elsewhere(outcome);
  Trial::expect(outcome.status.code() == Code::not_found,
                "update_backends without a load balancer ended with " + describe(outcome.status));
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "update_backends without a load balancer changes the cloud: " + changes);
}

void works_without_backends(Trial& trial) {
  trial.need(kEnsure);
  trial.backends() = Backends();
  const Outcome outcome = trial.ensure_until_active(0);
  skip_if_broken(trial, outcome);
  // A cloud that needs one has to be asked again when there is one.
  const auto error = outcome.status.error_class();
  Trial::expect(outcome.ok() || error == ErrorClass::unavailable || error == ErrorClass::waiting ||
                    error == ErrorClass::none,
                "ensure without Nodes is not retried: " + describe(outcome.status));
  Trial::expect(outcome.status.code() != Code::internal,
                "ensure without Nodes failed with " + describe(outcome.status));
}

void removes(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  trial.watch_cloud();
  trial.ensured();
  const Status gone = trial.removed(0);
  Trial::expect(gone.ok(), "remove failed with " + describe(gone));
  if (trial.offers(kObserve)) {
    trial.service(0).id.clear();
    const Outcome seen = trial.run(kObserve);
    Trial::expect(seen.ok() && seen.balancer.state == LoadBalancerState::absent,
                  fmt::format("after remove, observe says {} ({})",
                              name_of_state(seen.balancer.state), describe(seen.status)));
  }
}

// The cloud's own word: no listener, rule or tag of it is left.
void leaves_nothing(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  if (trial.ask({{"do", "snapshot"}}).empty()) Trial::skip("the snapshot is empty");
  trial.ensured(1);
  (void)trial.removed(1);  // what the first time brings for good, such as a tag of the cluster
  const auto before = trial.ask({{"do", "snapshot"}});
  trial.ensured(2);
  const Status gone = trial.removed(2);
  if (!gone.ok()) Trial::skip("remove fails; see LOADBALANCERS-14");
  const auto after = trial.ask({{"do", "snapshot"}});
  Trial::expect(before == after, "remove leaves something in the cloud: " + after.dump());
}

void removes_what_is_absent(Trial& trial) {
  trial.need(kRemove);
  trial.backends();
  trial.watch_cloud();
  const Status status = trial.run(kRemove).status;
  Trial::expect(status.ok() || status.error_class() == ErrorClass::not_found,
                "remove of a load balancer that never was ended with " + describe(status));
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "remove of a load balancer that never was changes the cloud: " + changes);
}

void removes_twice(Trial& trial) {
  trial.ensured();
  const Status first = trial.removed(0);
  if (!first.ok()) Trial::skip("remove fails; see LOADBALANCERS-14");
  const Status second = trial.removed(0);
  Trial::expect(second.ok(), "a second remove ended with " + describe(second));
}

void keeps_services_apart(Trial& trial) {
  const LoadBalancer made = trial.ensured(1);
  trial.service(2).ports.front().port = 8082;
  const LoadBalancer two = trial.ensured(2);
  const Status gone = trial.removed(1);
  if (!gone.ok()) Trial::skip("remove fails; see LOADBALANCERS-14");
  trial.watch_cloud();
  const Outcome left = trial.run(kEnsure, 2);
  Trial::expect(left.ok() && left.balancer.id == two.id,
                "the load balancer of another Service was removed, too: " + describe(left.status));
  const std::string changes = trial.changed();
  Trial::expect(
      changes.empty(),
      "the load balancer of another Service was changed by a remove; ensure mends it: " + changes);
}

void runs_two_services_at_once(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  const Ctx ctx = trial.host.contexts.make(60s);
  const auto began = trial.begin(kEnsure, ctx, 1);
  trial.service(2).ports.front().port = 8082;
  const auto two = trial.begin(kEnsure, ctx, 2);
  const Outcome first = trial.finish(began);
  const Outcome second = trial.finish(two);
  skip_if_broken(trial, first);
  skip_if_broken(trial, second);
  for (const Outcome& outcome : {first, second}) {
    const auto error = outcome.status.error_class();
    Trial::expect(outcome.ok() || error == ErrorClass::waiting || error == ErrorClass::conflict,
                  "of two ensure at once, one ended with " + describe(outcome.status));
  }
  const LoadBalancer made_one = trial.ensured(1);
  const LoadBalancer made_two = trial.ensured(2);
  if (made_one.state == LoadBalancerState::shared) Trial::skip("both share a load balancer");
  Trial::expect(made_one.id != made_two.id, "two Services got one load balancer");
}

void asks_nothing(Trial& trial, const Method& method) {
  trial.need(method);
  trial.network.restart();
  const Outcome first = trial.run(method);
  Trial::expect(first.ok() && first.problems.empty(),
                fmt::format("{} failed with {}", method.name, describe(first.status)));
  Trial::expect(trial.network.count() == 0, fmt::format("{} asks the cloud", method.name));
  Trial::expect(trial.run(method).text == first.text,
                fmt::format("{} of the same Service gives another text", method.name));
}

void has_sensible_limits(Trial& trial) {
  trial.need(kLoadBalancerLimits);
  const Outcome outcome = trial.run(kLoadBalancerLimits);
  Trial::expect(outcome.ok(), "limits failed with " + describe(outcome.status));
  if (outcome.limits.empty()) Trial::fail("limits has no result");
  Trial::expect(outcome.limits[0] >= 0 && outcome.limits[0] <= 600'000,
                fmt::format("a time limit of {} ms", outcome.limits[0]));
  for (const int64_t limit : outcome.limits) {
    Trial::expect(limit >= 0, fmt::format("a limit of {}", limit));
  }
  Trial::expect(is_utf8(outcome.text) && outcome.text.size() <= 317,
                "id_annotation is no name of an annotation");
}

void ends_after_its_deadline(Trial& trial) {
  trial.need(kEnsure);
  trial.backends();
  const auto pending = trial.begin(kEnsure, trial.host.contexts.make(5s));
  trial.run_now([&] { return pending.done(); });
  if (pending.done()) Trial::skip("ensure completes at once");
  trial.host.loop.advance(5s);
  Trial::expect(trial.run_now([&] { return pending.done(); }),
                "ensure does not complete soon after its deadline");
}

}  // namespace

void add_load_balancer_cases(Cases& cases) {
  cases.insert(
      cases.end(),
      {{"LOADBALANCERS-01", "ensure makes a load balancer with id and address", kHeader,
        "ccm_cloud_loadbalancers.ensure, R-90", &makes_one},
       {"LOADBALANCERS-02", "what ensure answers is possible", kHeader, "R-96", &answers_soundly},
       {"LOADBALANCERS-03", "ensure completes exactly once and throws nothing", "ccm/abi/status.h",
        "R-30, R-16", &completes_once},
       {"LOADBALANCERS-04", "ensure completes with a status of known code and class",
        "ccm/abi/status.h", "ccm_status", &has_known_status},
       {"LOADBALANCERS-05", "a second ensure is reads only", kHeader, "R-91",
        &writes_a_difference_only},
       {"LOADBALANCERS-06", "observe sees what ensure made, and writes nothing", kHeader,
        "ccm_cloud_loadbalancers.observe", &observes_what_is_there},
       {"LOADBALANCERS-07", "observe of a Service without load balancer is ABSENT", kHeader,
        "ccm_cloud_loadbalancers.observe", &observes_nothing},
       {"LOADBALANCERS-08", "observe sees that the Service changed, and writes nothing", kHeader,
        "ccm_load_balancer.difference", &observes_a_difference},
       {"LOADBALANCERS-09", "ensure follows a change of the ports, once", kHeader, "R-91",
        &changes_ports},
       {"LOADBALANCERS-10", "update_backends follows the Nodes, once", kHeader,
        "ccm_cloud_loadbalancers.update_backends, R-91", &updates_backends},
       {"LOADBALANCERS-11", "update_backends without a load balancer is NOT_FOUND", kHeader,
        "ccm_cloud_loadbalancers.update_backends", &updates_nothing_that_is_absent},
       {"LOADBALANCERS-12", "ensure without Nodes succeeds, or is retried", kHeader,
        "ccm_cloud_loadbalancers.ensure", &works_without_backends},
       {"LOADBALANCERS-14", "remove deletes the load balancer", kHeader,
        "ccm_cloud_loadbalancers.remove", &removes},
       {"LOADBALANCERS-15", "remove leaves nothing in the cloud", kHeader,
        "ccm_cloud_loadbalancers.remove", &leaves_nothing},
       {"LOADBALANCERS-16", "remove of what never was is a success without a write", kHeader,
        "ccm_cloud_loadbalancers.remove", &removes_what_is_absent},
       {"LOADBALANCERS-17", "a second remove is a success", kHeader,
        "ccm_cloud_loadbalancers.remove", &removes_twice},
       {"LOADBALANCERS-18", "the removal of one Service leaves those of others alone", kHeader,
        "R-92, R-93", &keeps_services_apart},
       {"LOADBALANCERS-19", "two Services may be worked on at once", kHeader, "R-97",
        &runs_two_services_at_once},
       {"LOADBALANCERS-20", "name asks the cloud for nothing", kHeader,
        "ccm_cloud_loadbalancers.name", [](Trial& trial) { asks_nothing(trial, kName); }},
       {"LOADBALANCERS-21", "lane asks the cloud for nothing", kHeader,
        "ccm_cloud_loadbalancers.lane", [](Trial& trial) { asks_nothing(trial, kLane); }},
       {"LOADBALANCERS-22", "limits are numbers that the host can keep", kHeader,
        "ccm_load_balancer_limits", &has_sensible_limits},
       {"LOADBALANCERS-23", "ensure follows Nodes that go and come back", kHeader, "R-91",
        &follows_members},
       {"LOADBALANCERS-24", "ensure follows a second port that comes and goes", kHeader, "R-91",
        &follows_a_second_port},
       {"LOADBALANCERS-25", "ensure follows a change of the node port", kHeader, "R-91",
        &follows_a_node_port},
       {"LOADBALANCERS-26", "ensure follows a change of the protocol, or refuses it", kHeader,
        "ccm_service_port.protocol", &follows_the_protocol},
       {"LOADBALANCERS-27", "ensure keeps to source ranges, or says that it does not", kHeader,
        "ccm_service.source_ranges", &keeps_to_source_ranges},
       {"LOADBALANCERS-28", "ensure follows a change that comes while the cloud works", kHeader,
        "R-91", &follows_a_change_meanwhile},
       {"LOADBALANCERS-90", "ensure completes after its deadline, whatever it waits for",
        "ccm/abi/ctx.h", "R-41", &ends_after_its_deadline}});
}

}  // namespace ccm::conformance
