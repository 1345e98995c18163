// Flags that are accepted and checked, and do nothing. A flag that works is removed from this
// table.
#include "app/flags/options_command_line.hpp"

#include <algorithm>
#include <array>

namespace ccm::app {
namespace {

struct Later {
  std::string_view flag;  // a trailing * stands for any rest
  std::string_view why;
};

constexpr std::string_view kWebhooks = "no webhooks are served";
constexpr std::string_view kHttp2 = "only HTTP/1.1 is served";
constexpr std::string_view kAtOnce = "log lines are written at once";

constexpr std::array kLater = std::to_array<Later>({
    {"webhook-*", kWebhooks},
    {"contention-profiling", "there are no profiles to serve"},
    {"http2-max-streams-per-connection", kHttp2},
    {"disable-http2-serving", kHttp2},
    {"permit-address-sharing", "the socket has SO_REUSEADDR in any case"},
    {"log-flush-frequency", kAtOnce},
    {"log-text-info-buffer-size", kAtOnce},
    {"log-json-info-buffer-size", kAtOnce},
});

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

std::string_view later_function(std::string_view flag) {
  const auto* const found = std::find_if(kLater.begin(), kLater.end(), [flag](const Later& entry) {
    return matches(entry.flag, flag);
  });
  return found == kLater.end() ? std::string_view{} : found->why;
}

}  // namespace ccm::app
