// Cases that do no harm to a real cloud, and how what they made goes away again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ccm::conformance {

class Trial;

// What a case makes at the most.
struct LiveCase {
  std::string_view id;
  std::size_t load_balancers = 0;
  std::size_t routes = 0;
};

// Each reads, or makes what is its own under a UID and a range of its own. None needs the cloud's
// command, and none breaks an exchange that writes.
const std::vector<LiveCase>& live_cases();
const LiveCase* find_live_case(std::string_view id);

// What a case began to make, as its trial wrote it down: the numbers of Services and routes.
struct Ledger {
  std::vector<int> load_balancers;
  std::vector<int> routes;

  static Ledger read(int file);
  [[nodiscard]] bool empty() const { return load_balancers.empty() && routes.empty(); }
};

// Removes it, whether it was made or not. What is left then, in words; empty = nothing.
std::string sweep(Trial& trial, const Ledger& made);
// Removes whatever bears the marks of this prefix: of runs that were cut off, too. Nothing when the
// provider cannot list what it made.
std::string sweep_owned(Trial& trial);

}  // namespace ccm::conformance
