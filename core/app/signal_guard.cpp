#include "app/signal_guard.hpp"

#include "base/log.hpp"

namespace ccm::app {

void SignalGuard::loaded(const plugin::LoadedPlugin& plugin) {
  plugins_.emplace_back(plugin.path.string(), plugin.manifest.id);
  check("load", plugin.manifest.id);
}

std::string SignalGuard::plugin_of(const std::string& file) const {
  for (const auto& [path, id] : plugins_) {
    if (path == file) return id;
  }
  return {};
}

void SignalGuard::check(std::string_view since, std::string_view suspect) {
  constexpr std::chrono::minutes kTellAgain{1};
  for (const StopSignals::Taken& taken : signals_.take_back()) {
    std::string plugin = plugin_of(taken.file);
    if (plugin.empty()) plugin = suspect;
    const auto now = std::chrono::steady_clock::now();
    const auto [place, is_new] = told_.try_emplace({taken.number, plugin + taken.file}, now);
    if (!is_new && now - place->second < kTellAgain) continue;
    place->second = now;
    log::error("A plugin replaced the handler of a stop signal; the host has restored it",
               {{"signal", signal_name(taken.number)},
                {"plugin", plugin},
                {"file", taken.file},
                {"since", since}});
  }
}

}  // namespace ccm::app
