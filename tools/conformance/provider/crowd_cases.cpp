// More instances and load balancers than any cloud has on one page: ccm/abi/instances.h R-71,
// ccm/abi/loadbalancers.h R-94.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

constexpr std::size_t kMachines = 1100;  // more than the largest page that clouds have
constexpr int kBalancers = 520;          // before ours, and as many after it

// The instances that are listed first and last.
std::vector<Machine> ends_of_a_crowd(Trial& trial) {
  const auto all = trial.machines(kMachines);
  return {all.front(), all.back()};
}

void lists_all(Trial& trial) {
  trial.need(kList);
  const auto machines = trial.machines(kMachines);
  const InstanceList list = trial.run_well(kList).machines;
  Trial::expect(list.complete,
                "nothing changes in the cloud, and a listing says that it is incomplete");
  // A listing may say nothing of instances that another API has.
  for (const std::string& prefix : list.unknown_prefixes) {
    for (const Machine& machine : machines) {
      Trial::expect(machine.provider_id.rfind(prefix, 0) != 0,
                    fmt::format("nothing changes in the cloud, and a listing says nothing of "
                                "\"{}\", which has {}",
                                prefix, machine.name));
    }
  }
  Trial::expect(list.instances.size() >= kMachines,
                fmt::format("{} of {} instances are listed", list.instances.size(), kMachines));
}

void gets_in_a_crowd(Trial& trial) {
  trial.need(kGet);
  for (const Machine& machine : ends_of_a_crowd(trial)) {
    for (const std::string& id : {machine.provider_id, std::string()}) {
      const Outcome outcome = trial.run("get", get_machine(trial, {machine.name, id, {}, {}}),
                                        std::chrono::seconds(30));
      Trial::expect(
          outcome.ok() && !outcome.machines.instances.empty() &&
              outcome.machines.instances.front().provider_id == machine.provider_id,
          fmt::format("among {} instances, get of {} ({}) ended with {}", kMachines, machine.name,
                      id.empty() ? "by name" : id, describe(outcome.status)));
    }
  }
}

void describes_in_a_crowd(Trial& trial) {
  trial.need(kDescribe);
  for (const Machine& machine : ends_of_a_crowd(trial)) {
    const Outcome outcome = trial.run(
        "describe", describe_machines(trial, {{machine.name, machine.provider_id, {}, {}}}),
        std::chrono::seconds(30));
    Trial::expect(outcome.ok() && outcome.machines.instances.size() == 1 &&
                      outcome.machines.instances.front().state != InstanceState::absent,
                  fmt::format("among {} instances, describe of {} ended with {}", kMachines,
                              machine.name, describe(outcome.status)));
  }
}

void plant(Trial& trial) {
  for (int i = 0; i < kBalancers; ++i) trial.ask({{"do", "plant-load-balancer"}});
}

// One load balancer of ours, whose id is not recorded, in the middle of others. Its Nodes are at
// the end of the instances.
std::string hidden(Trial& trial) {
  trial.need(kEnsure);
  plant(trial);
  const auto all = trial.machines(kMachines);
  trial.choose_backends({all[all.size() - 2], all.back()});
  std::string id = trial.ensured().id;
  plant(trial);
  trial.service(0).id.clear();
  return id;
}

void ensures_in_a_crowd(Trial& trial) {
  const std::string id = hidden(trial);
  trial.watch_cloud();
  const Outcome again = trial.run(kEnsure);
  Trial::expect(again.ok() && again.balancer.id == id,
                fmt::format("among {} load balancers ensure gives {} and not {} ({})",
                            2 * kBalancers, again.balancer.id, id, describe(again.status)));
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(),
                "a second ensure among many load balancers changes the cloud: " + changes);
}

void observes_in_a_crowd(Trial& trial) {
  trial.need(kObserve);
  const std::string id = hidden(trial);
  const Outcome seen = trial.run(kObserve);
  Trial::expect(seen.ok() && seen.balancer.id == id,
                fmt::format("among {} load balancers observe does not see ours: {}", 2 * kBalancers,
                            describe(seen.status)));
}

void removes_in_a_crowd(Trial& trial) {
  trial.need(kRemove);
  hidden(trial);
  const auto before = trial.count_load_balancers();
  if (!before) Trial::skip("the cloud's command does not say how many load balancers there are");
  const Status gone = trial.removed(0);
  Trial::expect(gone.ok(), "remove ended with " + describe(gone));
  const auto after = trial.count_load_balancers();
  Trial::expect(
      after && *after + 1 == *before,
      fmt::format("among {} load balancers remove says success and leaves ours", 2 * kBalancers));
}

}  // namespace

void add_crowd_cases(Cases& cases) {
  constexpr const char* kInstances = "ccm/abi/instances.h";
  constexpr const char* kBalancerHeader = "ccm/abi/loadbalancers.h";
  cases.insert(cases.end(),
               {{"LISTING-18", "a quiet cloud of more than a thousand instances is listed whole",
                 kInstances, "R-71, R-72", &lists_all},
                {"INSTANCES-66", "get finds an instance among more than a thousand", kInstances,
                 "ccm_cloud_instances.get", &gets_in_a_crowd},
                {"INSTANCES-67", "describe finds an instance among more than a thousand",
                 kInstances, "ccm_cloud_instances.describe", &describes_in_a_crowd},
                {"OWNERSHIP-17", "ensure finds its own among a thousand load balancers",
                 kBalancerHeader, "R-94", &ensures_in_a_crowd},
                {"OWNERSHIP-18", "observe finds its own among a thousand load balancers",
                 kBalancerHeader, "ccm_cloud_loadbalancers.observe", &observes_in_a_crowd},
                {"OWNERSHIP-19", "remove finds its own among a thousand load balancers",
                 kBalancerHeader, "ccm_cloud_loadbalancers.remove", &removes_in_a_crowd}});
}

}  // namespace ccm::conformance
