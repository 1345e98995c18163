// Runs the manager on a cloud with faults while Services and nodes come and go, and says at the end
// whether every object is right, nothing is left behind and the memory stayed flat.
// Exit code 0 = all is right, 1 = not, 2 = wrong use.
#include "audit.hpp"
#include "churn.hpp"
#include "cluster.hpp"
#include "command_line.hpp"
#include "memory.hpp"
#include "options.hpp"
#include "support/eventually.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace ccm::soak {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

int64_t total(const std::map<std::string, int64_t>& counts) {
  int64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

class Run {
 public:
  Run(const Options& options, uint32_t seed)
      : options_(options), cluster_(options, seed), churn_(cluster_, options, seed) {}

  bool all() {
    churn_.fill();
    cluster_.start_manager();
    if (!first_settle()) return fail();
    shake();
    churn_.calm();
    cluster_.heal();
    const auto healed = Clock::now();
    const bool right = settle(options_.settle_s);
    std::printf("\nright %.0f s after the last fault\n", since(healed));
    report();
    return (right && flat() && cluster_.manager().running()) || fail();
  }

 private:
  // Everything is there once before the clock starts, so that the memory is compared with itself.
  bool first_settle() {
    const auto start = Clock::now();
    const bool right = settle(options_.settle_s);
    std::printf("%lld nodes and %lld Services done in %.1f s with %lld calls, %.1f MB\n\n",
                static_cast<long long>(options_.nodes), static_cast<long long>(options_.services),
                since(start), static_cast<long long>(total(cluster_.calls())),
                resident_mb(cluster_.manager().pid()));
    return right;
  }

  bool settle(double limit) {
    const auto time = std::chrono::milliseconds(static_cast<int64_t>(limit * 1000));
    return support::eventually(time, [this] {
      findings_ = audit(cluster_);
      return findings_.empty() || !cluster_.manager().running();
    });
  }

  void shake() {
    const double end = options_.minutes * 60;
    const double step = options_.sample_s > 0 ? options_.sample_s : std::max(1.0, end / 30);
    const auto start = Clock::now();
    double service = options_.service_change_s;
    double node = options_.node_change_s;
    double sample = step;
    std::printf("| %7s | %6s | %8s | %8s | %7s | %6s | %5s |\n", "seconds", "RSS MB", "CPU s",
                "calls", "changes", "faults", "429");
    while (since(start) < end && cluster_.manager().running()) {
      const double next = std::min({service, node, sample, end});
      // The pace of what happens is what is being imitated here.
      std::this_thread::sleep_for(Seconds(std::max(0.0, next - since(start))));
      const double now = since(start);
      if (now >= service) {
        churn_.change_service();
        service += options_.service_change_s;
      }
      if (now >= node) {
        churn_.change_node();
        node += options_.node_change_s;
      }
      if (now >= sample) {
        row(now);
        sample += step;
      }
      std::fflush(stdout);
    }
  }

  void row(double now) {
    const pid_t process = cluster_.manager().pid();
    samples_.push_back(resident_mb(process));
    const auto calls = cluster_.calls();
    int64_t throttled = 0;
    for (const auto& [name, count] : calls) throttled += name.ends_with(" 429") ? count : 0;
    std::printf("| %7.0f | %6.1f | %8.1f | %8lld | %7lld | %6lld | %5lld |\n", now, samples_.back(),
                cpu_seconds(process), static_cast<long long>(total(calls)),
                static_cast<long long>(churn_.changes()),
                static_cast<long long>(total(cluster_.faults())),
                static_cast<long long>(throttled));
  }

  void report() {
    for (const auto& [kind, count] : cluster_.faults()) {
      std::printf("  fault %-12s %6lld\n", kind.c_str(), static_cast<long long>(count));
    }
    for (const auto& [kind, count] : cluster_.calls()) {
      std::printf("  calls %-12s %6lld\n", kind.c_str(), static_cast<long long>(count));
    }
    std::printf("nodes wrongly deleted: %lld\n", static_cast<long long>(wrongly_deleted(cluster_)));
  }

  bool flat() {
    const double growth = growth_mb(samples_);
    std::printf("memory: %+.2f MB from the second quarter to the last\n", growth);
    if (growth <= options_.growth_mb) return true;
    findings_.push_back("the memory grew by more than " + std::to_string(options_.growth_mb) +
                        " MB");
    return false;
  }

  bool fail() {
    for (const std::string& finding : findings_) std::printf("WRONG: %s\n", finding.c_str());
    if (!cluster_.manager().running()) std::printf("WRONG: the manager ended\n");
    cluster_.keep();
    std::printf("the manager's log is in %s\n", cluster_.folder().c_str());
    return false;
  }

  const Options& options_;
  Cluster cluster_;
  Churn churn_;
  std::vector<std::string> findings_;
  std::vector<double> samples_;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("--nodes", options.nodes, "Nodes")->capture_default_str();
  app.add_option("--services", options.services, "Services")->capture_default_str();
  app.add_option("--minutes", options.minutes, "How long")->capture_default_str();
  app.add_option("--fault-percent", options.fault_percent, "Share of calls that fail")
      ->capture_default_str();
  app.add_option("--service-change", options.service_change_s, "Seconds between two of them")
      ->capture_default_str();
  app.add_option("--node-change", options.node_change_s, "Seconds between two of them")
      ->capture_default_str();
  app.add_option("--sample", options.sample_s, "Seconds between two rows; 0: 30 rows")
      ->capture_default_str();
  app.add_option("--settle", options.settle_s, "Seconds until all has to be right")
      ->capture_default_str();
  app.add_option("--activation", options.activation_s, "Seconds for a new load balancer")
      ->capture_default_str();
  app.add_option("--latency", options.latency_ms, "Milliseconds for each call")
      ->capture_default_str();
  app.add_option("--hourly-limit", options.hourly_limit, "Calls of the token in an hour")
      ->capture_default_str();
  app.add_option("--minute-limit", options.minute_limit, "Calls of the token in a minute")
      ->capture_default_str();
  app.add_option("--growth", options.growth_mb, "MB by which the memory may grow")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Repeats a run, as far as timing allows");
}

}  // namespace
}  // namespace ccm::soak

int main(int argc, char** argv) {
  ccm::soak::Options options;
  CLI::App app("The manager with digitalocean.so on a cloud with faults");
  ccm::soak::add_options(app, options);
  return ccm::soak::run_command(app, argc, argv, options.seed, "soak",
                                [&](uint32_t seed) { return ccm::soak::Run(options, seed).all(); });
}
