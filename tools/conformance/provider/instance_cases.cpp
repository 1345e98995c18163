// Instances one by one, and what a listing holds: ccm/abi/instances.h.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ccm::conformance {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/instances.h";

bool certainly_absent(const Status& status) {
  return status.code() == Code::not_found || status.error_class() == ErrorClass::not_found;
}

void lists(Trial& trial) {
  trial.need(kList);
  const Outcome outcome = trial.run(kList);
  if (!trial.network.fault().empty()) Trial::fail(trial.network.fault());
  if (outcome.status.message() == "the operation never completed") {
    Trial::skip("list never completes; see INSTANCES-59");
  }
  for (const std::string& line : trial.host.faults()) {
    if (line.starts_with("list threw")) Trial::skip("list throws; see INSTANCES-03");
    if (line.find("status") != std::string::npos) Trial::skip(line + "; see INSTANCES-05");
  }
  Trial::expect(outcome.ok(), "list failed with " + describe(outcome.status));
}

void lists_soundly(Trial& trial) {
  trial.need(kList);
  const Outcome outcome = trial.run(kList);
  if (!outcome.ok()) Trial::skip("list fails; see INSTANCES-01");
  Trial::expect(outcome.problems.empty(), outcome.problems.empty() ? "" : outcome.problems.front());
}

// The faults that the fake host noticed while instances were listed, and the component ended.
std::vector<std::string> breaches_of_a_listing(Trial& trial) {
  trial.need(kList);
  trial.run(kList);
  trial.run_now([] { return false; });
  return trial.host.faults();
}

void throws_nothing(Trial& trial) {
  for (const std::string& line : breaches_of_a_listing(trial)) {
    Trial::expect(line.find("exception") == std::string::npos, line);
  }
}

void completes_once(Trial& trial) {
  breaches_of_a_listing(trial);
  trial.network.break_all(Break::with(500, "{}"));
  for (const std::string& line : breaches_of_a_listing(trial)) {
    Trial::expect(line.find("more than once") == std::string::npos &&
                      line.find("wrong number") == std::string::npos,
                  line);
  }
}

void has_a_sound_status(Trial& trial) {
  for (const std::string& line : breaches_of_a_listing(trial)) {
    Trial::expect(line.find("status") == std::string::npos, line);
  }
}

void declares_its_prefixes(Trial& trial) {
  trial.need(kList);
  trial.machines(1);
  const auto& prefixes = trial.subject().prefixes;
  if (prefixes.empty()) Trial::skip("the manifest declares no prefixes");
  const Outcome listed = trial.run_well(kList);
  for (const Instance& machine : listed.machines.instances) {
    const bool declared = std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& prefix) {
      return machine.provider_id.starts_with(prefix);
    });
    Trial::expect(
        machine.provider_id.empty() || declared,
        fmt::format("{} has the provider ID {}, whose prefix the manifest does not declare",
                    machine.name, machine.provider_id));
  }
}

void names_addresses_well(Trial& trial) {
  static const std::set<std::string> kTypes = {"Hostname", "InternalIP", "ExternalIP",
                                               "InternalDNS", "ExternalDNS"};
  trial.need(kList);
  trial.machines(1);
  const Outcome listed = trial.run_well(kList);
  for (const Instance& machine : listed.machines.instances) {
    for (const NodeAddress& address : machine.addresses) {
      Trial::expect(
          kTypes.contains(address.type),
          fmt::format("{} has an address of the unknown type {}", machine.name, address.type));
      Trial::expect(!address.address.empty(),
                    fmt::format("{} has an empty {}", machine.name, address.type));
    }
  }
}

void gets(Trial& trial) {
  trial.need(kGet);
  const Machine machine = trial.machines(1).front();
  const Outcome outcome = trial.run(kGet);
  Trial::expect(
      outcome.ok() && outcome.problems.empty(),
      fmt::format("get of {} ended with {} {}", machine.provider_id, describe(outcome.status),
                  outcome.problems.empty() ? "" : outcome.problems.front()));
  Trial::expect(outcome.machines.instances.front().provider_id == machine.provider_id,
                "get answered with another instance");
}

Outcome ask_for(Trial& trial, Call call) {
  call.ctx = trial.host.contexts.make(30s);
  auto& component = trial.ready();
  return component.finish(component.start("get", std::move(call)));
}

void gets_by_name(Trial& trial) {
  trial.need(kGet);
  const Machine machine = trial.machines(1).front();
  const Outcome outcome = ask_for(trial, get_machine(trial, {machine.name, "", {}, {}}));
  Trial::expect(outcome.ok() && !outcome.machines.instances.empty(),
                fmt::format("get of the Node {} without provider ID ended with {}", machine.name,
                            describe(outcome.status)));
  Trial::expect(outcome.machines.instances.front().provider_id == machine.provider_id,
                "get answered with another instance");
}

// list, or get or describe of that Node.
Outcome ask_about(Trial& trial, const Method& method, const NodeIdentity& node) {
  if (&method == &kList) return trial.run(kList);
  const Call call = &method == &kGet ? get_machine(trial, node) : describe_machines(trial, {node});
  return trial.run(method.name, call, 30s);
}

// As a kubelet or an administrator may have written it.
std::vector<std::string> other_spellings(const Trial& trial, const std::string& provider_id) {
  const auto& prefixes = trial.subject().prefixes;
  const auto prefix = std::find_if(prefixes.begin(), prefixes.end(),
                                   [&](const auto& each) { return provider_id.starts_with(each); });
  const std::size_t scheme = provider_id.find("://");
  if (prefix == prefixes.end() && scheme == std::string::npos) return {};
  const std::size_t length = prefix != prefixes.end() ? prefix->size() : scheme + 3;
  const std::string head = provider_id.substr(0, length);
  const std::string rest = provider_id.substr(length);
  std::string upper = rest;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  std::vector<std::string> all = {head + "0" + rest, head + "+" + rest, head + "/" + rest,
                                  head + rest + "/", head + rest + " ", head + upper};
  for (const std::string& other : prefixes) all.push_back(other + rest);
  std::erase(all, provider_id);
  return all;
}

// Or a Node that is registered under another one would be given the instance of somebody else.
void answers_the_own_id(Trial& trial, const Method& method) {
  trial.need(method);
  const Machine machine = trial.machines(1).front();
  const Outcome found = ask_about(trial, method, {machine.name, machine.provider_id, {}, {}});
  if (!found.ok() || found.machines.instances.empty()) Trial::skip("the instance is not found");
  const Instance& instance = found.machines.instances.front();
  std::vector<std::string> ids = instance.other_ids;
  Trial::expect(instance.provider_id == machine.provider_id ||
                    std::find(ids.begin(), ids.end(), machine.provider_id) != ids.end(),
                fmt::format("{} of {} answers with the instance {}", method.name,
                            machine.provider_id, instance.provider_id));
  for (std::string& id : other_spellings(trial, machine.provider_id)) ids.push_back(std::move(id));
  for (const std::string& id : ids) {
    const Outcome again = ask_about(trial, method, {machine.name, id, {}, {}});
    if (!again.ok() || again.machines.instances.empty()) continue;
    const Instance& answer = again.machines.instances.front();
    if (!exists(answer.state)) continue;
    Trial::expect(
        answer.provider_id == instance.provider_id,
        fmt::format("{} of {} answers with the provider ID {}, and of {} with {}", method.name,
                    machine.provider_id, instance.provider_id, id, answer.provider_id));
  }
}

void takes_other_ids(Trial& trial) {
  trial.need(kGet);
  const Machine machine = trial.machines(1).front();
  const Outcome found = ask_about(trial, kGet, {machine.name, machine.provider_id, {}, {}});
  if (!found.ok() || found.machines.instances.empty()) Trial::skip("the instance is not found");
  const std::vector<std::string> ids = found.machines.instances.front().other_ids;
  if (ids.empty()) Trial::skip("instances have no other provider IDs");
  for (const std::string& id : ids) {
    const Outcome again = ask_about(trial, kGet, {machine.name, id, {}, {}});
    Trial::expect(again.ok(), fmt::format("get of {}, which is another provider ID of {}, ended "
                                          "with {}",
                                          id, machine.provider_id, describe(again.status)));
  }
}

void lists_each_id_once(Trial& trial) {
  trial.need(kList);
  trial.machines(2);
  std::map<std::string, std::string> names;
  for (const Instance& instance : trial.run_well(kList).machines.instances) {
    std::vector<std::string> ids = instance.other_ids;
    ids.push_back(instance.provider_id);
    for (const std::string& id : ids) {
      const auto [known, fresh] = names.emplace(id, instance.provider_id);
      Trial::expect(id.empty() || fresh || known->second == instance.provider_id,
                    fmt::format("{} is a provider ID of {} and of {}", id, known->second,
                                instance.provider_id));
    }
  }
}

// Gone by the cloud's own hand, after the provider has seen it.
Machine gone_machine(Trial& trial) {
  Machine machine = trial.machines(3)[1];
  trial.ask(
      {{"do", "remove-machine"}, {"name", machine.name}, {"providerID", machine.provider_id}});
  return machine;
}

void finds_absence(Trial& trial) {
  trial.need(kGet);
  const Machine machine = gone_machine(trial);
  const Outcome outcome =
      ask_for(trial, get_machine(trial, {machine.name, machine.provider_id, {}, {}}));
  const bool terminated = outcome.ok() && !outcome.machines.instances.empty() &&
                          outcome.machines.instances.front().state == InstanceState::terminated;
  Trial::expect(terminated || certainly_absent(outcome.status),
                "get of an instance that is gone ended with " + describe(outcome.status));
}

void describes(Trial& trial) {
  trial.need(kDescribe);
  const auto machines = trial.machines(3);
  const Machine gone = gone_machine(trial);
  std::vector<NodeIdentity> nodes;
  nodes.reserve(machines.size());
  for (const Machine& machine : machines) {
    nodes.push_back({machine.name, machine.provider_id, {}, {}});
  }
  const Outcome outcome = ask_for(trial, describe_machines(trial, nodes));
  Trial::expect(outcome.ok() && outcome.problems.empty(),
                "describe ended with " + describe(outcome.status));
  const auto& answers = outcome.machines.instances;
  Trial::expect(answers.size() == nodes.size(),
                fmt::format("describe of {} Nodes answered for {}", nodes.size(), answers.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool absent = nodes[i].provider_id == gone.provider_id;
    Trial::expect((answers[i].state == InstanceState::absent) == absent ||
                      answers[i].state == InstanceState::unknown ||
                      answers[i].state == InstanceState::terminated,
                  fmt::format("element {} of describe has state {} for an instance that {}", i,
                              static_cast<int>(answers[i].state), absent ? "is gone" : "exists"));
  }
}

// One instance for each Node, in the order of the request.
void describes_each_node(Trial& trial) {
  trial.need(kDescribe);
  std::vector<NodeIdentity> nodes = {{"node-1", "", {}, {}}, {"node-2", "", {}, {}}};
  for (NodeIdentity& node : nodes) {
    node.provider_id =
        trial.subject().prefixes.empty() ? "" : trial.subject().prefixes.front() + "1";
  }
  const Outcome outcome = ask_for(trial, describe_machines(trial, nodes));
  if (!outcome.ok()) Trial::skip("describe fails (" + describe(outcome.status) + ")");
  Trial::expect(outcome.machines.instances.size() == nodes.size(),
                fmt::format("describe of {} Nodes answered for {}", nodes.size(),
                            outcome.machines.instances.size()));
}

// A failure is never an absence.
void is_not_absent_because_of(Trial& trial, const Method& method) {
  trial.need(method);
  trial.machines(1);
  trial.run_well(method);
  trial.need_http();
  const std::vector<std::pair<const char*, Break>> breaks = {
      {"a 500", Break::with(500, "oops")},
      {"a 403", Break::with(403, "{}")},
      {"a body that is no JSON", Break::with(200, "<html>welcome</html>")},
      {"an empty body", Break::with(200, "")},
      {"an empty object", Break::with(200, "{}")},
      {"half of the answer", {Break::Kind::half}},
      {"a connection that ends", {Break::Kind::no_answer}}};
  for (const auto& [what, how] : breaks) {
    trial.network.restart();
    trial.network.break_all(how);
    const Outcome outcome = trial.run(method);
    if (trial.network.count() == 0) Trial::skip("the operation asks the cloud for nothing");
    Trial::expect(
        !certainly_absent(outcome.status),
        fmt::format("after {}, {} says that the instance does not exist", what, method.name));
    for (const Instance& machine : outcome.machines.instances) {
      Trial::expect(!outcome.ok() || (machine.state != InstanceState::absent &&
                                      machine.state != InstanceState::terminated),
                    fmt::format("after {}, {} gives the instance state {}", what, method.name,
                                static_cast<int>(machine.state)));
    }
  }
}

// Listed, found, and no reason to delete a Node.
void keeps_a_machine_that_is_off(Trial& trial) {
  const Machine off = trial.machines(2)[1];
  trial.ask({{"do", "switch-off-machine"}, {"name", off.name}, {"providerID", off.provider_id}});
  trial.ready();
  for (const Method* method : {&kList, &kDescribe, &kGet}) {
    if (!trial.offers(*method)) continue;
    const Outcome outcome = ask_about(trial, *method, {off.name, off.provider_id, {}, {}});
    Trial::expect(outcome.ok(), fmt::format("an instance is switched off, and {} ended with {}",
                                            method->name, describe(outcome.status)));
    const auto& all = outcome.machines.instances;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Instance& each) {
      return each.provider_id == off.provider_id;
    });
    Trial::expect(
        found != all.end() && !is_gone(found->state),
        fmt::format("an instance is switched off, and {} says that it is gone", method->name));
  }
}

// A wrong path gives a 404, too.
void takes_no_404_for_absence(Trial& trial, const Method& method) {
  trial.need(method);
  const Machine machine = trial.machines(1).front();
  trial.run_well(method);
  trial.need_http();
  Break how = Break::with(404, "{}");
  how.names = machine.provider_id.substr(machine.provider_id.find_last_of('/') + 1);
  for (std::size_t step = 0; step < 16; ++step) {
    trial.network.restart();
    trial.network.break_at(step, how);
    const Outcome outcome = trial.run(method);
    if (trial.network.count() <= step) return;
    const auto& all = outcome.machines.instances;
    Trial::expect(!certainly_absent(outcome.status) &&
                      (!outcome.ok() || all.empty() || !is_gone(all.front().state)),
                  fmt::format("after a 404 for request {}, which does not name the instance, {} "
                              "says that it does not exist",
                              step + 1, method.name));
  }
}

// The provider ID says which is meant of two instances of one name, or of one with another name.
void gets_by_provider_id_first(Trial& trial) {
  trial.need(kGet);
  const auto machines = trial.machines(2);
  const Outcome outcome =
      ask_for(trial, get_machine(trial, {machines[0].name, machines[1].provider_id, {}, {}}));
  Trial::expect(!certainly_absent(outcome.status),
                "get of a Node whose name another instance has "
                "says that there is none");
  if (!outcome.ok() || outcome.machines.instances.empty()) return;
  Trial::expect(outcome.machines.instances.front().provider_id == machines[1].provider_id,
                "get of a Node with a provider ID answers with the instance of its name");
}

void finds_no_namesake(Trial& trial) {
  trial.need(kGet);
  const Machine gone = gone_machine(trial);
  const Machine other = trial.machines(3)[2];
  const Outcome outcome =
      ask_for(trial, get_machine(trial, {other.name, gone.provider_id, {}, {}}));
  if (!outcome.ok() || outcome.machines.instances.empty()) return;
  Trial::expect(is_gone(outcome.machines.instances.front().state),
                "an instance is gone, and get answers with another one that has the Node's name");
}

void has_sensible_limits(Trial& trial) {
  trial.need(kInstanceLimits);
  const Outcome outcome = trial.run(kInstanceLimits);
  Trial::expect(outcome.ok(), "limits failed with " + describe(outcome.status));
  if (outcome.limits.empty()) Trial::fail("limits has no result");
  constexpr int64_t kTenMinutes = 600'000;
  for (const std::size_t i : {0U, 1U}) {
    Trial::expect(outcome.limits[i] >= 0 && outcome.limits[i] <= kTenMinutes,
                  fmt::format("a time limit of {} ms", outcome.limits[i]));
  }
  Trial::expect(outcome.limits[2] >= 0, fmt::format("a batch of {}", outcome.limits[2]));
  Trial::expect(outcome.limits[3] >= 0, fmt::format("{} operations at once", outcome.limits[3]));
}

}  // namespace

void add_instance_cases(Cases& cases) {
  cases.insert(
      cases.end(),
      {{"INSTANCES-01", "list succeeds", kHeader, "ccm_cloud_instances.list", &lists},
       {"INSTANCES-02", "a listing has no holes, its counts are right, its texts are UTF-8",
        kHeader, "ccm_instance_list", &lists_soundly},
       {"INSTANCES-03", "no exception leaves list", "ccm/abi/base.h", "R-16", &throws_nothing},
       {"INSTANCES-04", "list completes exactly once", "ccm/abi/status.h", "R-30", &completes_once},
       {"INSTANCES-05", "list completes with a status of known code and class", "ccm/abi/status.h",
        "ccm_status", &has_a_sound_status},
       {"INSTANCES-06", "provider IDs have a prefix that the manifest declares", kHeader,
        "ccm_instance.provider_id", &declares_its_prefixes},
       {"INSTANCES-07", "addresses have one of the five types", kHeader, "ccm_node_address",
        &names_addresses_well},
       {"INSTANCES-08", "get finds an instance by its provider ID", kHeader,
        "ccm_cloud_instances.get", &gets},
       {"INSTANCES-09", "get finds an instance by its name when the Node has no provider ID",
        kHeader, "ccm_node_identity", &gets_by_name},
       {"INSTANCES-10", "get of an instance that is gone says so", kHeader,
        "ccm_cloud_instances.get", &finds_absence},
       {"INSTANCES-11", "describe says of each Node whether its instance exists", kHeader,
        "ccm_cloud_instances.describe", &describes},
       {"INSTANCES-12", "describe answers for each Node of the request", kHeader,
        "ccm_cloud_instances.describe", &describes_each_node},
       {"INSTANCES-13", "get makes no absence of a failure", kHeader, "R-70",
        [](Trial& trial) { is_not_absent_because_of(trial, kGet); }},
       {"INSTANCES-14", "describe makes no absence of a failure", kHeader, "R-70",
        [](Trial& trial) { is_not_absent_because_of(trial, kDescribe); }},
       {"INSTANCES-15", "limits are numbers that the host can keep", kHeader, "ccm_instance_limits",
        &has_sensible_limits},
       {"INSTANCES-16", "get answers the instance's own provider ID, however it was asked for",
        kHeader, "R-73", [](Trial& trial) { answers_the_own_id(trial, kGet); }},
       {"INSTANCES-17", "describe answers the instance's own provider ID, however it was asked for",
        kHeader, "R-73", [](Trial& trial) { answers_the_own_id(trial, kDescribe); }},
       {"INSTANCES-18", "get takes the other provider IDs of an instance", kHeader, "R-73",
        &takes_other_ids},
       {"INSTANCES-19", "no two instances of a listing have a provider ID in common", kHeader,
        "R-73", &lists_each_id_once},
       {"INSTANCES-68", "an instance that is switched off is there, and not TERMINATED", kHeader,
        "R-70", &keeps_a_machine_that_is_off},
       {"INSTANCES-62", "get takes no 404 that does not name the instance for its absence", kHeader,
        "R-70", [](Trial& trial) { takes_no_404_for_absence(trial, kGet); }},
       {"INSTANCES-63", "describe takes no 404 that does not name the instance for its absence",
        kHeader, "R-70", [](Trial& trial) { takes_no_404_for_absence(trial, kDescribe); }},
       {"INSTANCES-64", "get goes by the provider ID when the Node has one", kHeader,
        "ccm_node_identity", &gets_by_provider_id_first},
       {"INSTANCES-65", "get of an instance that is gone finds no namesake", kHeader,
        "ccm_node_identity", &finds_no_namesake}});
}

}  // namespace ccm::conformance
