// client-go's gates, which the environment sets: KUBE_FEATURE_<Name>=true|false (HOST-143). One of
// them concerns this program's client; the others belong to Go's caches and connections. Any thread
// once read.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ccm::app {

inline constexpr std::string_view kWatchListClient = "WatchListClient";

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
