// The objects that a provider says it has made: ccm/abi/owned.h.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <ccm/abi/owned.h>

namespace ccm::conformance {
namespace {

constexpr const char* kHeader = "ccm/abi/owned.h";

Outcome listed(Trial& trial) {
  const Outcome outcome = trial.run(kListOwned);
  if (!outcome.ok()) Trial::skip("list fails; see OWNED-01");
  return outcome;
}

void lists(Trial& trial) {
  trial.need(kListOwned);
  const Outcome outcome = trial.run(kListOwned);
  Trial::expect(outcome.ok(), "list failed with " + describe(outcome.status));
}

void lists_soundly(Trial& trial) {
  trial.need(kListOwned);
  const Outcome outcome = listed(trial);
  Trial::expect(outcome.problems.empty(), outcome.problems.empty() ? "" : outcome.problems.front());
}

void lists_without_writing(Trial& trial) {
  trial.need(kListOwned);
  listed(trial);
  trial.watch_cloud();
  listed(trial);
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(), "list changes the cloud: " + changes);
}

void leaves_foreign_ones_out(Trial& trial) {
  trial.need(kListOwned);
  trial.ready();
  const std::string id = trial.ask({{"do", "plant-load-balancer"}}).at("id");
  for (const OwnedObject& object : listed(trial).owned) {
    Trial::expect(object.id != id || object.no_cluster || object.shared,
                  "list says that somebody else's load balancer is this cluster's");
  }
}

void removes_what_is_gone(Trial& trial) {
  trial.need(kRemoveOwned);
  trial.ready();
  trial.watch_cloud();
  const Outcome outcome = trial.run(kRemoveOwned);
  Trial::expect(outcome.ok(), "remove of a load balancer that does not exist failed with " +
                                  describe(outcome.status));
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(), "remove of one that does not exist changes the cloud: " + changes);
}

}  // namespace

void add_owned_cases(Cases& cases) {
  cases.insert(cases.end(),
               {{"OWNED-01", "list succeeds", kHeader, "ccm_cloud_owned.list", &lists},
                {"OWNED-02",
                 "a listing has no holes, and each object has a kind, an id and a cluster or none",
                 kHeader, "ccm_owned_object", &lists_soundly},
                {"OWNED-03", "list writes nothing", kHeader, "R-172", &lists_without_writing},
                {"OWNED-04", "a load balancer of somebody else is not this cluster's", kHeader,
                 "R-170", &leaves_foreign_ones_out},
                {"OWNED-05", "removing what is gone is a success", kHeader, "R-173",
                 &removes_what_is_gone}});
}

}  // namespace ccm::conformance
