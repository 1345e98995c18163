// --feature-gates (HOST-19, HOST-139..143): Name=bool pairs. Upstream's gates are all accepted, so
// that command lines written for the Go controller manager work; most concern an API server and
// change nothing here. Any thread once set.
#pragma once

#include <ccm/status.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::app {

enum class GateStage { alpha, beta, ga, deprecated };

struct KnownGate {
  std::string_view name;
  GateStage stage = GateStage::alpha;
  bool default_value = false;
  bool locked = false;     // cannot be changed from its default
  bool effective = false;  // has an effect in this program
};
std::span<const KnownGate> known_gates();
// For --help: those that do something in this program, with stages and defaults.
std::string gates_with_an_effect();

inline constexpr std::string_view kCoordinatedLeaderElection = "CoordinatedLeaderElection";

class FeatureGates {
 public:
  // "A=true,B=false"; adds to what was set before. AllAlpha and AllBeta set every gate of that
  // stage that is not set by name. On failure nothing changes.
  Status set(std::string_view text);

  // False for unknown names.
  [[nodiscard]] bool enabled(std::string_view name) const;

  // The gates that were set, as set() takes them, ordered by name.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::map<std::string, bool, std::less<>>& overrides() const {
    return overrides_;
  }

 private:
  std::map<std::string, bool, std::less<>> overrides_;
};

}  // namespace ccm::app
