#include "live_check.hpp"

#include "ccmctl/output.hpp"
#include "conformance/live.hpp"
#include "conformance/trial.hpp"

#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/owned.h>
#include <ccm/abi/routes.h>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>

namespace ccm::ctl {
namespace {

using conformance::Case;
using conformance::Ledger;
using conformance::LiveCase;

constexpr std::size_t kLongestPrefix = 15;  // names of some clouds have 32 characters

volatile std::sig_atomic_t stop_signal = 0;

// While it lives, a signal ends the run after what was made is removed.
class SignalsWait {
 public:
  SignalsWait() {
    stop_signal = 0;
    for (std::size_t i = 0; i < std::size(kNumbers); ++i) {
      before_[i] = std::signal(kNumbers[i], [](int number) { stop_signal = number; });
    }
  }
  ~SignalsWait() {
    for (std::size_t i = 0; i < std::size(kNumbers); ++i) std::signal(kNumbers[i], before_[i]);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  static constexpr int kNumbers[] = {SIGINT, SIGTERM, SIGHUP};
  void (*before_[std::size(kNumbers)])(int) = {};
};

class LedgerFile {
 public:
  LedgerFile() : file_(::memfd_create("ledger", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::runtime_error("memfd_create fails");
  }
  ~LedgerFile() { ::close(file_); }
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;
  [[nodiscard]] int file() const { return file_; }

 private:
  int file_;
};

std::string interface_of(std::string_view id) {
  if (id.starts_with("LOADBALANCERS-") || id.starts_with("OWNERSHIP-"))
    return CCM_CLOUD_LOADBALANCERS;
  if (id.starts_with("ROUTES-")) return CCM_CLOUD_ROUTES;
  if (id.starts_with("OWNED-")) return CCM_CLOUD_OWNED;
  return {};
}

Case sweep_of(const Ledger& made) {
  return {"SWEEP", "what a case made is removed", "", "", [made](conformance::Trial& trial) {
            const std::string left = conformance::sweep(trial, made);
            conformance::Trial::expect(left.empty(), left);
          }};
}

Case last_sweep() {
  return {"SWEEP", "nothing bears the marks of this run", "", "", [](conformance::Trial& trial) {
            const std::string left = conformance::sweep_owned(trial);
            conformance::Trial::expect(left.empty(), left);
          }};
}

void sweep(const ConformanceOptions& options, const Case& how, const std::string& after,
           LiveResult& result) {
  const CaseResult swept = run_case(options, how);
  if (swept.verdict == Verdict::passed) return;
  result.left.push_back(fmt::format("after {}: {}", after, swept.text));
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string makes(const LiveCase& each) {
  std::string text;
  if (each.load_balancers > 0) text += counted(each.load_balancers, "load balancer");
  if (each.routes > 0) text += counted(each.routes, "route");
  return text.empty() ? "reads" : text;
}

}  // namespace

std::string fault_of_prefix(std::string_view prefix) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!prefix.empty() && prefix.size() <= kLongestPrefix && prefix.front() >= 'a' &&
      prefix.back() != '-' && std::all_of(prefix.begin(), prefix.end(), fits)) {
    return {};
  }
  return fmt::format("--prefix is a lower-case letter and at most {} letters, digits and dashes",
                     kLongestPrefix - 1);
}

std::vector<const Case*> harmless_cases(const ConformanceOptions& options,
                                        const std::vector<std::string>& interfaces) {
  for (const std::string& id : options.cases) {
    if (conformance::find_live_case(id) == nullptr) {
      throw std::invalid_argument(id + " might do harm in a real cloud: it is not for --live");
    }
  }
  std::vector<const Case*> chosen;
  for (const LiveCase& each : conformance::live_cases()) {
    const auto& wanted = options.cases;
    const std::string interface = interface_of(each.id);
    const bool offered = interface.empty() || std::find(interfaces.begin(), interfaces.end(),
                                                        interface) != interfaces.end();
    if (wanted.empty() ? offered
                       : std::find(wanted.begin(), wanted.end(), each.id) != wanted.end()) {
      chosen.push_back(conformance::find_case(each.id));
    }
  }
  return chosen;
}

std::string live_plan(const ConformanceOptions& options, const std::vector<const Case*>& cases) {
  std::vector<std::vector<std::string>> rows;
  std::size_t readers = 0;
  LiveCase sum;
  for (const Case* each : cases) {
    const LiveCase& live = *conformance::find_live_case(each->id);
    sum.load_balancers += live.load_balancers;
    sum.routes += live.routes;
    if (live.load_balancers + live.routes == 0) {
      ++readers;
      continue;
    }
    rows.push_back({each->id, makes(live), each->title});
  }
  std::string text = fmt::format("{} only read. These make something, and remove it again:\n{}",
                                 counted(readers, "case"), align(rows));
  if (rows.empty()) return counted(readers, "case") + " only read. Nothing is made.\n";
  if (sum.load_balancers > 0) {
    text += fmt::format(
        "In all {}, at most two at a time, each with up to two of the account's instances behind "
        "it, for Services\n"
        "{}/web-N of the cluster {}, named {}-... where the provider leaves the name to the "
        "host.\n",
        counted(sum.load_balancers, "load balancer"), options.prefix, options.prefix,
        options.prefix);
  }
  if (sum.routes > 0) {
    text += fmt::format(
        "In all {}, at most three at a time, of ranges in 198.18.0.0/16 to two of the account's "
        "instances.\n",
        counted(sum.routes, "route"));
  }
  return text + "They may cost money, and count against the account's limits.\n";
}

LiveResult run_live(const ConformanceOptions& options, const std::vector<const Case*>& cases) {
  const SignalsWait signals_wait;
  LiveResult result;
  uint64_t number = 0;
  for (const Case* each : cases) {
    const LedgerFile ledger;
    ConformanceOptions run = options;
    run.ledger = ledger.file();
    run.seed = options.seed * 256 + number++;
    result.cases.push_back(run_case(run, *each));
    const Ledger made = Ledger::read(ledger.file());
    result.load_balancers += made.load_balancers.size();
    result.routes += made.routes.size();
    run.ledger = -1;
    if (!made.empty()) sweep(run, sweep_of(made), each->id, result);
    if (stop_signal != 0) break;
  }
  result.stopped = stop_signal != 0;
  if (result.load_balancers + result.routes > 0) sweep(options, last_sweep(), "all", result);
  return result;
}

std::string live_summary(const LiveResult& result, uint64_t seed) {
  std::string text = fmt::format("Made {} and {}", counted(result.load_balancers, "load balancer"),
                                 counted(result.routes, "route"));
  if (result.left.empty()) return text + "; nothing of it is left\n";
  text += "; THIS MAY BE LEFT:\n";
  for (const std::string& each : result.left) text += "  " + printable(each) + "\n";
  return text +
         fmt::format("With --seed={} the same cases take it for their own, and remove it.\n", seed);
}

}  // namespace ccm::ctl
