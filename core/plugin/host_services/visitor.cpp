#include "plugin/host_services/visitor.hpp"

#include "base/log.hpp"

#include <exception>
#include <string>

namespace ccm::plugin {

void report_visitor(const std::shared_ptr<LiveComponent>& component, std::string_view function) {
  std::string what = "an unknown exception";
  try {
    throw;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): nothing more is known of it
  }
  log::error("Plugin threw an exception",
             {{"plugin", component ? component->identity().plugin_id : std::string()},
              {"component", component ? component->identity().name : std::string()},
              {"operation", function},
              {"err", what}});
}

}  // namespace ccm::plugin
