#include "live.hpp"

#include "trial.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

constexpr int kTries = 5;

void put(std::vector<int>& numbers, int number) {
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
}

// Until it is gone; what kept it.
Status remove_balancer(Trial& trial, int number) {
  Status gone;
  for (int round = 0; round < kTries; ++round) {
    trial.service(number).id.clear();
    gone = trial.removed(number);
    if (gone.ok()) return gone;
    trial.host.loop.advance(5s);
  }
  return gone;
}

std::vector<Route> left_of(Trial& trial, const std::vector<int>& numbers) {
  const Outcome listed = trial.run(kListRoutes);
  if (!listed.ok()) throw Failure("routes cannot be listed: " + describe(listed.status));
  std::vector<Route> left;
  for (const Route& route : listed.routes) {
    const bool ours = std::any_of(numbers.begin(), numbers.end(), [&](int number) {
      return route.destination_cidr == trial.route(number).destination_cidr;
    });
    if (ours && route.owned) left.push_back(route);
  }
  return left;
}

std::string sweep_routes(Trial& trial, const std::vector<int>& numbers) {
  if (numbers.empty()) return {};
  std::vector<Route> left;
  for (int round = 0; round < kTries; ++round) {
    left = left_of(trial, numbers);
    if (left.empty()) return {};
    trial.run("apply", apply_routes(trial, left, {}), 60s);
    trial.host.loop.advance(5s);
  }
  return fmt::format("{} routes to 198.18.0.0/16; ", left.size());
}

Status remove_owned_object(Trial& trial, const OwnedObject& object) {
  Status gone;
  for (int round = 0; round < 60; ++round) {
    gone = trial.run("remove", remove_object(trial, object), 60s).status;
    if (gone.error_class() != ErrorClass::waiting) break;
    trial.host.loop.advance(std::max<std::chrono::milliseconds>(gone.retry_after(), 5s));
  }
  return gone;
}

}  // namespace

const std::vector<LiveCase>& live_cases() {
  static const std::vector<LiveCase> kCases = {{"PROVIDER-01"},
                                               {"PROVIDER-03"},
                                               {"PROVIDER-08"},
                                               {"INSTANCES-01"},
                                               {"INSTANCES-02"},
                                               {"INSTANCES-03"},
                                               {"INSTANCES-05"},
                                               {"INSTANCES-06"},
                                               {"INSTANCES-07"},
                                               {"INSTANCES-08"},
                                               {"INSTANCES-09"},
                                               {"INSTANCES-12"},
                                               {"INSTANCES-15"},
                                               {"INSTANCES-16"},
                                               {"INSTANCES-17"},
                                               {"INSTANCES-18"},
                                               {"INSTANCES-19"},
                                               {"INSTANCES-64"},
                                               {"LISTING-04"},
                                               {"LISTING-17"},
                                               {"LOADBALANCERS-01", 1},
                                               {"LOADBALANCERS-02", 1},
                                               {"LOADBALANCERS-05", 1},
                                               {"LOADBALANCERS-06", 1},
                                               {"LOADBALANCERS-07"},
                                               {"LOADBALANCERS-08", 1},
                                               {"LOADBALANCERS-09", 1},
                                               {"LOADBALANCERS-10", 1},
                                               {"LOADBALANCERS-11"},
                                               {"LOADBALANCERS-12", 1},
                                               {"LOADBALANCERS-14", 1},
                                               {"LOADBALANCERS-16"},
                                               {"LOADBALANCERS-17", 1},
                                               {"LOADBALANCERS-18", 2},
                                               {"LOADBALANCERS-19", 2},
                                               {"LOADBALANCERS-20"},
                                               {"LOADBALANCERS-21"},
                                               {"LOADBALANCERS-22"},
                                               {"LOADBALANCERS-23", 1},
                                               {"OWNERSHIP-06", 1},
                                               {"OWNERSHIP-07", 1},
                                               {"OWNERSHIP-08", 1},
                                               {"ROUTES-01"},
                                               {"ROUTES-02"},
                                               {"ROUTES-03", 0, 1},
                                               {"ROUTES-07", 0, 1},
                                               {"ROUTES-08", 0, 3},
                                               {"ROUTES-09", 0, 1},
                                               {"ROUTES-10", 0, 1},
                                               {"ROUTES-11"},
                                               {"ROUTES-19"},
                                               {"OWNED-01"},
                                               {"OWNED-02"},
                                               {"OWNED-03"},
                                               {"OWNED-05"}};
  return kCases;
}

const LiveCase* find_live_case(std::string_view id) {
  const auto& cases = live_cases();
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const LiveCase& each) { return each.id == id; });
  return found != cases.end() ? &*found : nullptr;
}

Ledger Ledger::read(int file) {
  std::string text;
  char buffer[4096];
  ssize_t n = 0;
  while ((n = ::pread(file, buffer, sizeof(buffer), static_cast<off_t>(text.size()))) > 0) {
    text.append(buffer, static_cast<size_t>(n));
  }
  Ledger made;
  std::istringstream lines(text);
  std::string kind;
  for (int number = 0; lines >> kind >> number;) {
    put(kind == "route" ? made.routes : made.load_balancers, number);
  }
  return made;
}

std::string sweep(Trial& trial, const Ledger& made) {
  trial.ready();
  std::string left;
  for (const int number : made.load_balancers) {
    const Status gone = remove_balancer(trial, number);
    if (gone.ok()) continue;
    left += fmt::format("the load balancer {} of {}/{} (UID {}), since remove ended with {}; ",
                        trial.service(number).default_name, trial.service(number).namespace_name,
                        trial.service(number).name, trial.service(number).uid, describe(gone));
  }
  return left + sweep_routes(trial, made.routes);
}

std::string sweep_owned(Trial& trial) {
  trial.ready();
  if (!trial.offers(kListOwned) || !trial.offers(kRemoveOwned)) return {};
  const Outcome listed = trial.run(kListOwned);
  if (!listed.ok()) return "what bears our marks cannot be listed: " + describe(listed.status);
  std::string left;
  for (const OwnedObject& object : listed.owned) {
    if (object.no_cluster || object.shared) continue;
    const Status gone = remove_owned_object(trial, object);
    if (!gone.ok()) left += fmt::format("{} {}: {}; ", object.kind, object.id, describe(gone));
  }
  return left;
}

}  // namespace ccm::conformance
