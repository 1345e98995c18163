// Compressed years of a cluster: as many Node and Service events as the API server takes, while it
// goes away and comes back, and while leaders change. Says at each rest and at the end whether each
// object is right, and whether memory and descriptors of the leader and of its standby stayed flat.
// Exit code 0 = all is right, 1 = not, 2 = wrong use.
#include "command_line.hpp"
#include "event_cluster.hpp"
#include "memory.hpp"
#include "support/eventually.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ccm::soak {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Free memory goes back every 6 s, and connections are closed 7 s after a burst.
constexpr std::chrono::seconds kRest{14};
constexpr int kSamplesUnderLoad = 40;

struct ChurnOptions {
  int64_t events = 200'000;
  int nodes = 200;
  int services = 20;
  int leader_changes = 20;  // in the first fifth of the events
  int restarts = 20;        // of the API server, in the rest
  // Under load a leader has much work in hand, the more the faster the machine is: its memory says
  // something only when all is done. 0 = samples are taken under load.
  int rests = 12;
  double growth_mb = 2;
  double growth_descriptors = 8;  // connections more or less are no leak
  double settle_s = 120;
  uint32_t seed = 0;
};

// Memory and descriptors of one process over time.
struct Usage {
  std::vector<double> memory;
  std::vector<double> descriptors;

  void sample(pid_t process) {
    memory.push_back(resident_mb(process));
    descriptors.push_back(open_descriptors(process));
  }
};

// By how much the least of the last quarter lies above that of the second: idle connections come
// and go, what was lost stays.
double growth_of_least(const std::vector<double>& samples) {
  const auto quarter = static_cast<std::ptrdiff_t>(samples.size() / 4);
  if (quarter < 2) return 0;
  const auto least = [&](auto begin) { return *std::min_element(begin, begin + quarter); };
  return least(samples.end() - quarter) - least(samples.begin() + quarter);
}

class EventChurn {
 public:
  EventChurn(const ChurnOptions& options, uint32_t seed) : options_(options), random_(seed) {}

  bool all() {
    for (int i = 0; i < options_.nodes; ++i) cluster_.join_node(next_++);
    for (int i = 0; i < options_.services; ++i) cluster_.make_service(next_++);
    leader_ = cluster_.start_manager();
    if (!settled("the beginning")) return false;
    standby_ = cluster_.start_manager();
    return change_leaders() && settled("the last change of leaders") && go_on();
  }

 private:
  // A leader ends after each share of the events, by SIGTERM and by SIGKILL in turn.
  bool change_leaders() {
    if (options_.leader_changes == 0) return true;
    const int64_t share = options_.events / 5 / options_.leader_changes;
    for (int change = 0; change < options_.leader_changes; ++change) {
      for (int64_t i = 0; i < share; ++i) event();
      const std::string before = cluster_.holder();
      leader_->send(change % 4 == 3 ? SIGKILL : SIGTERM);
      const auto begin = Clock::now();
      const bool led = support::eventually(std::chrono::seconds(60), [&] {
        const std::string holder = cluster_.holder();
        return !holder.empty() && holder != before;
      });
      if (!led) return wrong("no standby has taken the Lease");
      slowest_change_ = std::max(slowest_change_, Seconds(Clock::now() - begin).count());
      leader_->wait(std::chrono::seconds(15));
      leader_ = std::exchange(standby_, cluster_.start_manager());
    }
    std::printf("%d changes of the leader, the slowest took %.1f s\n", options_.leader_changes,
                slowest_change_);
    return true;
  }

  // All other events, which the same two processes see.
  bool go_on() {
    const int64_t end = options_.events - done_;
    const int samples = options_.rests > 0 ? options_.rests : kSamplesUnderLoad;
    const int64_t row = std::max<int64_t>(1, end / samples);
    const int64_t restart = options_.restarts == 0 ? end + 1 : end / (options_.restarts + 1);
    std::printf("| %8s | %7s | %9s | %9s | %9s | %10s | %10s |\n", "events", "seconds", "settled s",
                "leader MB", "standby MB", "leader FDs", "standby FDs");
    for (int64_t i = 1; i <= end; ++i) {
      event();
      if (i % restart == 0 && restarts_ < options_.restarts) {
        ++restarts_;
        cluster_.restart_api_server(static_cast<int>(random_() % 1'500));
      }
      if (i % row == 0 && !rest_and_sample()) return false;
      if (!leader_->running()) return wrong("the leader ended");
      if (!standby_->running()) return wrong("the standby ended");
    }
    if (!settled("the last event")) return false;
    bool good = flat("leader", of_leader_);
    good = flat("standby", of_standby_) && good;
    std::printf("%lld events, %d restarts of the API server, %.0f s\n",
                static_cast<long long>(done_), restarts_, Seconds(Clock::now() - start_).count());
    if (!good) cluster_.keep();
    return good;
  }

  void event() {
    ++done_;
    const auto kind = random_() % 100;
    if (kind < 70) return cluster_.heartbeat(random_());
    if (kind < 78) return cluster_.label_node(random_());
    if (kind < 86) return cluster_.change_service(random_());
    // Pairs, so that the numbers stay what they were.
    if (kind < 96) {
      cluster_.join_node(next_++);
      return cluster_.lose_oldest_node();
    }
    cluster_.make_service(next_++);
    cluster_.remove_service(random_());
  }

  bool rest_and_sample() {
    double seconds = 0;
    if (options_.rests > 0) {
      const auto settled = settle();
      if (!settled) return false;
      seconds = *settled;
      std::this_thread::sleep_for(kRest);
    }
    of_leader_.sample(leader_->pid());
    of_standby_.sample(standby_->pid());
    std::printf("| %8lld | %7.0f | %9.1f | %9.1f | %10.1f | %10.0f | %11.0f |\n",
                static_cast<long long>(done_), Seconds(Clock::now() - start_).count(), seconds,
                of_leader_.memory.back(), of_standby_.memory.back(), of_leader_.descriptors.back(),
                of_standby_.descriptors.back());
    std::fflush(stdout);
    return true;
  }

  bool flat(const char* name, const Usage& usage) {
    const double memory = growth_mb(usage.memory);
    const double descriptors = growth_of_least(usage.descriptors);
    std::printf("%s: %+.2f MB and %+.1f descriptors from the second quarter to the last\n", name,
                memory, descriptors);
    if (memory <= options_.growth_mb && descriptors <= options_.growth_descriptors) return true;
    std::printf("WRONG: the %s grew\n", name);
    return false;
  }

  // The seconds until each object was right; nothing when one was not in time, which is said.
  std::optional<double> settle() {
    const auto begin = Clock::now();
    std::string fault;
    const auto limit = std::chrono::milliseconds(static_cast<int64_t>(options_.settle_s * 1'000));
    const bool right = support::eventually(limit, [&] {
      fault = cluster_.fault();
      return fault.empty();
    });
    if (right) return Seconds(Clock::now() - begin).count();
    wrong(fault);
    return std::nullopt;
  }

  bool settled(const char* what) {
    const auto seconds = settle();
    if (!seconds) return false;
    std::printf("all objects are right %.1f s after %s\n", *seconds, what);
    std::fflush(stdout);
    return true;
  }

  bool wrong(const std::string& what) {
    std::printf("WRONG: %s\n", what.c_str());
    cluster_.keep();
    return false;
  }

  const ChurnOptions& options_;
  std::mt19937 random_;
  EventCluster cluster_;
  std::unique_ptr<support::Process> leader_;
  std::unique_ptr<support::Process> standby_;
  Usage of_leader_;
  Usage of_standby_;
  int next_ = 0;
  int restarts_ = 0;
  int64_t done_ = 0;
  double slowest_change_ = 0;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace
}  // namespace ccm::soak

int main(int argc, char** argv) {
  ccm::soak::ChurnOptions options;
  CLI::App app("Two managers with sandbox.so, and all events of a long life in a short time");
  app.add_option("--events", options.events, "Changes of Nodes and Services")
      ->capture_default_str();
  app.add_option("--nodes", options.nodes, "Nodes")->capture_default_str();
  app.add_option("--services", options.services, "Services")->capture_default_str();
  app.add_option("--leader-changes", options.leader_changes, "In the first fifth of the events")
      ->capture_default_str();
  app.add_option("--restarts", options.restarts, "Of the API server, in the rest")
      ->capture_default_str();
  app.add_option("--rests", options.rests,
                 "Times that all has to become right before memory is looked at, 0: never")
      ->capture_default_str();
  app.add_option("--growth", options.growth_mb, "MB by which the memory of each may grow")
      ->capture_default_str();
  app.add_option("--growth-descriptors", options.growth_descriptors,
                 "Descriptors by which their least number may grow")
      ->capture_default_str();
  app.add_option("--settle", options.settle_s, "Seconds until all has to be right")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Repeats a run, as far as timing allows");
  return ccm::soak::run_command(app, argc, argv, options.seed, "event_churn", [&](uint32_t seed) {
    return ccm::soak::EventChurn(options, seed).all();
  });
}
