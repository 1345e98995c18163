#include "app/signal_guard.hpp"

#include "base/log.hpp"

namespace ccm::app {

void SignalGuard::loaded(const plugin::LoadedPlugin& plugin) {
  plugins_.emplace(plugin.path.string(), plugin.manifest.id);
  check("load", plugin.manifest.id);
}

void SignalGuard::check(std::string_view since, std::string_view suspect) {
  constexpr std::chrono::minutes kTellAgain{1};
  for (const StopSignals::Taken& taken : signals_.take_back()) {
    const auto known = plugins_.find(taken.file);
    const std::string plugin(known != plugins_.end() ? known->second : suspect);
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
