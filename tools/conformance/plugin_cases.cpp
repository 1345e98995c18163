// The life of a plugin: ccm/abi/plugin.h.
#include "case.hpp"
#include "trial.hpp"

#include <ccm/abi/owned.h>

#include <fmt/format.h>

#include <cstring>
#include <set>

namespace ccm::conformance {
namespace {

using testing::FakeComponent;
using testing::FakePlugin;

constexpr const char* kHeader = "ccm/abi/plugin.h";

// The answer of `open` or `create`. Lives as long as the process: a late completion finds it.
struct Made {
  int completions = 0;
  Status status;
  ccm_component component{};
  bool threw = false;
  static void completed(void* owner, uint64_t, const ccm_status* status, const void* result) {
    auto& made = *static_cast<Made*>(owner);
    if (++made.completions > 1) return;
    made.status = Status::from_c(status);
    if (result != nullptr) made.component = known(static_cast<const ccm_component*>(result));
  }
};

Made& create(Trial& trial, testing::FakeHostView& view, const std::string& name, void* self) {
  auto& made = *new Made;  // NOLINT: see above
  auto request = sized<ccm_create_request>();
  request.host = view.abi();
  request.component = c_str(name);
  const Ctx ctx = trial.host.contexts.make();
  try {
    trial.subject().plugin->create(self, ctx.get(), &request, {&Made::completed, &made, 1});
  } catch (...) {
    made.threw = true;
  }
  trial.run_now([&] { return made.completions > 0; });
  return made;
}

struct Opened {
  explicit Opened(Trial& trial)
      : plugin(trial.host, trial.subject().plugin), view(trial.host, plugin.nonblocking()) {
    if (!plugin.opened().ok()) Trial::skip("`open` fails; see PLUGIN-02");
  }
  FakePlugin plugin;
  testing::FakeHostView view;
};

void makes_a_component(Trial& trial) {
  Opened opened(trial);
  const Made& made = create(trial, opened.view, trial.subject().component, opened.plugin.self());
  Trial::expect(!made.threw, "`create` threw an exception");
  Trial::expect(made.completions > 0, "`create` did not complete");
  Trial::expect(made.status.ok(), "`create` failed with " + describe(made.status));
  Trial::expect(made.component.get_interface != nullptr, "the component has no get_interface");
  Trial::expect(made.component.destroy != nullptr, "the component has no destroy");
}

void opens(Trial& trial) {
  if (function_of(trial.subject().plugin, &ccm_plugin::open) == nullptr) {
    Trial::skip("the plugin has no `open`");
  }
  testing::FakeHostView view(trial.host, true);
  auto& made = *new Made;  // NOLINT: as above
  auto request = sized<ccm_open_request>();
  request.host = view.abi();
  const Ctx ctx = trial.host.contexts.make();
  trial.subject().plugin->open(nullptr, ctx.get(), &request, {&Made::completed, &made, 1});
  trial.run_now([&] { return made.completions > 0; });
  Trial::expect(made.completions > 0, "`open` did not complete");
  Trial::expect(made.status.ok(), "`open` failed with " + describe(made.status));
  trial.run_now([&] { return made.completions > 1; });
  Trial::expect(made.completions == 1, "`open` completed more than once");
}

void refuses_an_unknown_component(Trial& trial) {
  trial.created();
  trial.destroy();
  Opened opened(trial);
  const Made& made = create(trial, opened.view, "no-such-component", opened.plugin.self());
  Trial::expect(made.completions > 0, "`create` did not complete");
  Trial::expect(made.status.code() == Code::not_found,
                "`create` of a component that the manifest does not have ended with " +
                    describe(made.status));
}

void leaves_out_alone(Trial& trial) {
  Opened opened(trial);
  const Made& made = create(trial, opened.view, trial.subject().component, opened.plugin.self());
  if (!made.status.ok() || made.component.get_interface == nullptr) {
    Trial::skip("the component cannot be made; see PLUGIN-01");
  }
  int here = 0;
  ccm_interface out{&here, &here};
  Trial::expect(made.component.get_interface(made.component.self, "no.such.interface/1", &out) == 0,
                "get_interface says yes to an id that does not exist");
  Trial::expect(out.self == &here && out.table == &here,
                "get_interface changed `out` for an id that does not exist");
}

void answers_the_same_again(Trial& trial) {
  auto& component = trial.ready();
  for (const char* id : {CCM_PROVIDER, CCM_CLOUD_INSTANCES, CCM_CLOUD_LOADBALANCERS,
                         CCM_CLOUD_ROUTES, CCM_CLOUD_OWNED}) {
    const auto first = component.interface<ccm_provider>(id);
    const auto second = component.interface<ccm_provider>(id);
    Trial::expect(
        static_cast<bool>(first) == static_cast<bool>(second) && first.self() == second.self(),
        fmt::format("get_interface answers otherwise when asked again for {}", id));
  }
}

// The host warns of the one and leaves the other out.
void offers_what_the_manifest_lists(Trial& trial) {
  trial.ready();
  const std::map<std::string, bool> offered = {
      {CCM_CLOUD_INSTANCES, trial.offers(kList) || trial.offers(kDescribe) || trial.offers(kGet)},
      {CCM_CLOUD_LOADBALANCERS, trial.offers(kEnsure) && trial.offers(kRemove)},
      {CCM_CLOUD_ROUTES, trial.offers(kListRoutes) && trial.offers(kAddRoute)},
      {CCM_CLOUD_OWNED, trial.offers(kListOwned) && trial.offers(kRemoveOwned)}};
  if (trial.subject().interfaces.empty()) Trial::skip("the manifest lists no interfaces");
  for (const auto& [id, there] : offered) {
    Trial::expect(!there || trial.subject().lists(id),
                  fmt::format("the provider offers {}, and the manifest does not list it", id));
  }
}

void makes_and_ends_it_again(Trial& trial) {
  trial.ready();
  trial.destroy();
  for (int i = 0; i < 3; ++i) {
    FakeComponent again(trial.host, trial.subject().plugin, trial.subject().component);
    trial.run_now([&] { return again.created().ok(); });
    Trial::expect(again.created().ok(), fmt::format("`create` fails when the component was made {} "
                                                    "times before: {}",
                                                    i + 1, describe(again.created())));
    Trial::destroy(again);
  }
}

// The optional services, which another host may lack.
void does_without_services(Trial& trial) {
  trial.created();
  trial.destroy();
  const std::set<std::string> needed(trial.subject().needs.begin(), trial.subject().needs.end());
  for (const char* id : {CCM_HOST_LOG, CCM_HOST_EVENT, CCM_HOST_METRICS, CCM_HOST_LEADER,
                         CCM_HOST_HINT, CCM_HOST_FILE, CCM_HOST_CRYPTO, CCM_HOST_KUBE,
                         CCM_HOST_HTTP_CLIENT, CCM_HOST_WORKER, CCM_HOST_CONFIG, CCM_HOST_HTTP}) {
    if (!needed.contains(id)) trial.host.hide(id);
  }
  FakeComponent component(trial.host, trial.subject().plugin, trial.subject().component);
  trial.run_now([&] { return component.created().ok(); });
  if (component.created().ok()) return Trial::destroy(component);
  Trial::expect(!component.created().message().empty() &&
                    component.created().message() != "it did not complete",
                "`create` fails without the services that the manifest does not need, and does not "
                "say which one it misses");
}

void completes_nothing_after_destroy(Trial& trial) {
  trial.ready();
  for (const Method* method : {&kList, &kEnsure, &kListRoutes, &kAddRoute}) {
    if (trial.offers(*method)) trial.run(*method);
  }
  const auto before = trial.host.faults();
  trial.destroy();
  trial.run_now([&] { return trial.host.faults().size() > before.size(); });
  const auto after = trial.host.faults();
  Trial::expect(after.size() == before.size(),
                after.empty() ? "" : "in destroy, or later: " + after.back());
}

// `destroy` returns; the process ends well, which the runner sees.
void throws_nothing_in_destroy(Trial& trial) {
  auto& component = trial.ready();
  try {
    component.destroy();
  } catch (...) {
    Trial::fail("`destroy` threw an exception");
  }
}

}  // namespace

void add_plugin_cases(Cases& cases) {
  cases.insert(
      cases.end(),
      {{"PLUGIN-01", "`create` completes and gives a component with its mandatory functions",
        kHeader, "ccm_plugin.create, ccm_component", &makes_a_component},
       {"PLUGIN-02", "`open` completes once and succeeds", kHeader, "ccm_plugin.open, R-30",
        &opens},
       {"PLUGIN-03", "`create` of an unknown component ends with NOT_FOUND", kHeader,
        "ccm_plugin.create", &refuses_an_unknown_component},
       {"PLUGIN-04", "get_interface of an unknown id says no and leaves `out` alone", kHeader,
        "ccm_component.get_interface", &leaves_out_alone},
       {"PLUGIN-05", "get_interface gives the same answer when it is asked again", kHeader,
        "ccm_component.get_interface", &answers_the_same_again},
       {"PLUGIN-06", "the manifest lists every interface that the provider offers", kHeader,
        "ccm_plugin.manifest", &offers_what_the_manifest_lists},
       {"PLUGIN-07", "a component can be made and destroyed several times", kHeader, "R-50, R-51",
        &makes_and_ends_it_again},
       {"PLUGIN-08", "`create` does without the services that the manifest does not need", kHeader,
        "ccm_host.get_interface", &does_without_services},
       {"PLUGIN-09", "nothing is completed in `destroy` or after it", kHeader, "R-31, R-51",
        &completes_nothing_after_destroy},
       {"PLUGIN-10", "no exception leaves `destroy`", "ccm/abi/base.h", "R-16",
        &throws_nothing_in_destroy}});
}

}  // namespace ccm::conformance
