// --feature-gates (HOST-19, HOST-139..143), and client-go's gates, which the environment sets. Any
// thread once set.
#pragma once

#include <ccm/status.hpp>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

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

// Name=bool pairs. Upstream's gates are all accepted, so that command lines written for the Go
// controller manager work; most concern an API server and change nothing here.
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

inline constexpr std::string_view kWatchListClient = "WatchListClient";

// KUBE_FEATURE_<Name>=true|false (HOST-143). One of them concerns this program's client; the others
// belong to Go's caches and connections.
class ClientFeatureGates {
 public:
  // `environment`: the value of a variable, nullptr when unset.
  void read(const std::function<const char*(const char* name)>& environment);

  // Lists come as a stream where the API server has it.
  [[nodiscard]] bool watch_list() const;

  // Tells what was set: at verbosity 1, and lines for what cannot be followed or changes nothing.
  void log() const;

 private:
  std::map<std::string, std::string, std::less<>> given_;  // text by name
};

}  // namespace ccm::app
