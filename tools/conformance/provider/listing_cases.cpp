// Listings are whole or fail: ccm/abi/instances.h, R-70 to R-72.
#include "conformance/case.hpp"
#include "conformance/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr const char* kHeader = "ccm/abi/instances.h";
constexpr std::size_t kMany = 450;  // more than two pages of most clouds
constexpr std::size_t kMostSteps = 16;

std::set<std::string> ids_of(const InstanceList& list) {
  std::set<std::string> ids;
  for (const Instance& machine : list.instances) ids.insert(machine.provider_id);
  return ids;
}

bool is_partial(const InstanceList& list) {
  return !list.complete || !list.unknown_prefixes.empty();
}

// Instances of `wanted` that a listing which calls itself complete lacks.
std::size_t missing(const std::vector<Machine>& wanted, const InstanceList& list) {
  const auto ids = ids_of(list);
  return static_cast<std::size_t>(
      std::count_if(wanted.begin(), wanted.end(),
                    [&](const auto& each) { return !ids.contains(each.provider_id); }));
}

void lists_what_was_added(Trial& trial) {
  trial.need(kList);
  trial.run_well(kList);
  const auto machines = trial.machines(5);
  const InstanceList list = trial.run_well(kList).machines;
  Trial::expect(missing(machines, list) == 0,
                fmt::format("{} of 5 instances are missing in a listing", missing(machines, list)));
}

// A Node without a provider ID gets its instance by its name.
void lists_names(Trial& trial) {
  trial.need(kList);
  const auto machines = trial.machines(3);
  for (const Instance& listed : trial.run_well(kList).machines.instances) {
    for (const Machine& machine : machines) {
      if (machine.name.empty() || machine.provider_id != listed.provider_id) continue;
      Trial::expect(listed.name == machine.name,
                    fmt::format("instance {} of Node {} is listed with the name \"{}\"",
                                machine.provider_id, machine.name, listed.name));
    }
  }
}

// A Node whose instance shows none waits for them.
void lists_addresses(Trial& trial) {
  trial.need(kList);
  trial.machines(3);
  for (const Instance& machine : trial.run_well(kList).machines.instances) {
    if (machine.state != InstanceState::running) continue;
    Trial::expect(
        !machine.addresses.empty(),
        fmt::format("instance {} runs and is listed without an address", machine.provider_id));
  }
}

void lists_all_pages(Trial& trial) {
  trial.need(kList);
  const auto machines = trial.machines(kMany);
  const InstanceList list = trial.run_well(kList).machines;
  Trial::expect(
      missing(machines, list) == 0,
      fmt::format("{} of {} instances are missing in a listing", missing(machines, list), kMany));
}

void sees_that_one_is_gone(Trial& trial) {
  trial.need(kList);
  const Machine gone = trial.machines(3)[1];
  trial.run_well(kList);
  trial.ask({{"do", "remove-machine"}, {"name", gone.name}, {"providerID", gone.provider_id}});
  const Outcome listed = trial.run_well(kList);
  for (const Instance& machine : listed.machines.instances) {
    Trial::expect(
        machine.provider_id != gone.provider_id || machine.state == InstanceState::terminated,
        "an instance that is gone is still listed");
  }
}

void lists_without_writing(Trial& trial) {
  trial.need(kList);
  trial.run_well(kList);
  trial.watch_cloud();
  trial.run_well(kList);
  const std::string changes = trial.changed();
  Trial::expect(changes.empty(), "list changes the cloud: " + changes);
}

// After any fault at any request: a failure, or a listing that says what it lacks.
void fails_or_is_whole(Trial& trial, const char* what, const Break& how) {
  trial.need(kList);
  const auto machines = trial.machines(kMany);
  const InstanceList whole = trial.run_well(kList).machines;
  trial.need_http();
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    trial.network.restart();
    trial.network.break_at(step, how);
    const Outcome outcome = trial.run(kList);
    if (trial.network.count() <= step) {
      if (step == 0) Trial::skip("list asks the cloud for nothing");
      return;
    }
    if (!outcome.ok() || is_partial(outcome.machines)) continue;
    const auto ids = ids_of(outcome.machines);
    Trial::expect(ids == ids_of(whole),
                  fmt::format("{} instead of the answer to request {}, and list succeeds with {} "
                              "instances of {}",
                              what, step + 1, ids.size(), ids_of(whole).size()));
  }
}

void survives_500(Trial& trial) { fails_or_is_whole(trial, "a 500", Break::with(500, "{}")); }
void survives_404(Trial& trial) { fails_or_is_whole(trial, "a 404", Break::with(404, "{}")); }
void survives_html(Trial& trial) {
  fails_or_is_whole(trial, "a page of HTML", Break::with(200, "<html>welcome</html>"));
}
void survives_empty_object(Trial& trial) {
  fails_or_is_whole(trial, "an empty object", Break::with(200, "{}"));
}
void survives_empty_list(Trial& trial) {
  fails_or_is_whole(trial, "an empty body", Break::with(200, ""));
}
void survives_half(Trial& trial) {
  fails_or_is_whole(trial, "half of the body", {Break::Kind::half});
}
void survives_lost_connection(Trial& trial) {
  fails_or_is_whole(trial, "a connection that ends", {Break::Kind::no_answer});
}

// Pages shift while they are read: one instance goes, and one comes.
void shifts(Trial& trial, bool removes) {
  trial.need(kList);
  auto machines = trial.machines(kMany);
  trial.run_well(kList);
  trial.need_http();
  const Machine first = machines.front();
  std::vector<Machine> steady(machines.begin() + 1, machines.end());
  bool able = true;
  trial.network.restart();
  bool done = false;
  for (std::size_t step = 1; step < 6; ++step) {
    // After the first page, whichever request that is.
    trial.network.before(step, [&] {
      if (std::exchange(done, true)) return;
      const nlohmann::json question =
          removes ? nlohmann::json{{"do", "remove-machine"},
                                   {"name", first.name},
                                   {"providerID", first.provider_id}}
                  : nlohmann::json{{"do", "add-machines"}, {"count", 1}, {"first", true}};
      able = !trial.cloud.ask(question).is_null();
    });
  }
  const Outcome outcome = trial.run(kList);
  if (!done) Trial::skip("list is a single request");
  if (!able) Trial::skip("the cloud's command does not add or remove instances");
  if (!outcome.ok() || is_partial(outcome.machines)) return;
  Trial::expect(missing(steady, outcome.machines) == 0,
                fmt::format("while it was listed an instance {}, and {} others are missing in a "
                            "listing that calls itself complete",
                            removes ? "went" : "came", missing(steady, outcome.machines)));
}

void survives_a_machine_that_goes(Trial& trial) { shifts(trial, true); }
void survives_a_machine_that_comes(Trial& trial) { shifts(trial, false); }

void lists_nothing_when_there_is_nothing(Trial& trial) {
  trial.need(kList);
  const InstanceList before = trial.run_well(kList).machines;
  for (const Instance& machine : before.instances) {
    trial.ask(
        {{"do", "remove-machine"}, {"name", machine.name}, {"providerID", machine.provider_id}});
  }
  const Outcome outcome = trial.run(kList);
  Trial::expect(outcome.ok(),
                "a cloud without instances: list fails with " + describe(outcome.status));
  Trial::expect(outcome.machines.instances.empty(), "instances are listed that are gone");
}

void leaks_nothing(Trial& trial) {
  auto& component = trial.ready();
  trial.need(kList);
  trial.machines(1);
  const auto measure = [&] {
    trial.run_well(kList);
    trial.run_now([] { return false; });
    return std::array{trial.host.contexts.live(), component.live_callbacks(),
                      trial.host.objects.live(), trial.host.loop.pending_timers()};
  };
  for (int i = 0; i < 3; ++i) measure();  // what the first times keep is the provider's own
  const auto before = measure();
  for (int i = 0; i < 10; ++i) measure();
  const auto after = measure();
  static constexpr std::array kWhat = {"children of its ctx", "callbacks", "objects"};
  for (std::size_t i = 0; i < kWhat.size(); ++i) {
    Trial::expect(after[i] < before[i] + 8, fmt::format("{} listings leave {} {} behind", 11,
                                                        after[i] - before[i], kWhat[i]));
  }
}

void does_not_block(Trial& trial) {
  auto& component = trial.ready();
  trial.need(kList);
  if (!component.nonblocking()) Trial::skip("the plugin's operations may block");
  trial.machines(1);
  // The least of three: another program may have the processor meanwhile.
  auto least = 1h + 0ns;
  for (int i = 0; i < 3; ++i) {
    const auto before = std::chrono::steady_clock::now();
    const auto pending = trial.begin(kList, trial.host.contexts.make(30s));
    least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - before);
    trial.finish(pending);
  }
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(least).count();
  Trial::expect(took < 250, fmt::format("list holds the host's loop for {} ms", took));
}

void lists_twice_at_once(Trial& trial) {
  trial.ready();
  trial.need(kList);
  const auto machines = trial.machines(2);
  trial.run_well(kList);
  const auto first = trial.begin(kList, trial.host.contexts.make(30s));
  const auto second = trial.begin(kList, trial.host.contexts.make(30s));
  for (const auto& pending : {first, second}) {
    const Outcome outcome = trial.finish(pending);
    Trial::expect(outcome.ok() && missing(machines, outcome.machines) == 0,
                  "two listings at once: one ended with " + describe(outcome.status));
  }
}

}  // namespace

void add_listing_cases(Cases& cases) {
  cases.insert(
      cases.end(),
      {{"LISTING-01", "a listing holds the instances that the cloud has", kHeader, "R-71",
        &lists_what_was_added},
       {"LISTING-02", "a listing holds all pages", kHeader, "R-71", &lists_all_pages},
       {"LISTING-03", "an instance that is gone is not listed any more", kHeader,
        "ccm_cloud_instances.list", &sees_that_one_is_gone},
       {"LISTING-04", "list writes nothing", kHeader, "ccm_cloud_instances.list",
        &lists_without_writing},
       {"LISTING-05", "a 500 makes no instance vanish", kHeader, "R-70, R-71", &survives_500},
       {"LISTING-06", "a 404 makes no instance vanish", kHeader, "R-70, R-71", &survives_404},
       {"LISTING-07", "an answer that is no JSON makes no instance vanish", kHeader, "R-70, R-71",
        &survives_html},
       {"LISTING-08", "an answer without the list makes no instance vanish", kHeader, "R-70, R-71",
        &survives_empty_object},
       {"LISTING-09", "an empty body makes no instance vanish", kHeader, "R-70, R-71",
        &survives_empty_list},
       {"LISTING-10", "half of an answer makes no instance vanish", kHeader, "R-70, R-71",
        &survives_half},
       {"LISTING-11", "a connection that ends makes no instance vanish", kHeader, "R-70, R-71",
        &survives_lost_connection},
       {"LISTING-12", "an instance that goes while pages are read hides no other", kHeader, "R-72",
        &survives_a_machine_that_goes},
       {"LISTING-13", "an instance that comes while pages are read hides no other", kHeader, "R-72",
        &survives_a_machine_that_comes},
       {"LISTING-14", "a cloud without instances is an empty listing", kHeader, "R-71",
        &lists_nothing_when_there_is_nothing},
       {"LISTING-15", "listings leave no ctx, callback or object behind", "ccm/abi/ctx.h",
        "R-42, R-12, R-13", &leaks_nothing},
       {"LISTING-16", "list does not hold the loop of a plugin that says \"nonblocking\"",
        "ccm/abi/base.h", "R-14", &does_not_block},
       {"LISTING-17", "two listings may run at once", kHeader, "R-14", &lists_twice_at_once},
       {"LISTING-19", "an instance is listed with the name of its Node", kHeader,
        "ccm_instance.name", &lists_names},
       {"LISTING-20", "an instance that runs is listed with an address", kHeader,
        "ccm_instance.addresses", &lists_addresses}});
}

}  // namespace ccm::conformance
