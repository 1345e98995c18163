#include "plugin/host_services/config_rejections.hpp"

#include "base/log.hpp"
#include "base/metric_families.hpp"

#include <algorithm>

namespace ccm::plugin {

ConfigRejections::ConfigRejections(prometheus::Registry& registry)
    : family_(metrics::gauges(
          registry, "ccm_plugin_rejected_configurations",
          "Files whose present content the plugin could not use, so that an earlier "
          "one stays in force.")) {}

void ConfigRejections::add(const std::string& plugin_id, const std::string& file,
                           const std::string& reason) {
  std::string& known = reasons_[{plugin_id, file}];
  if (known == reason) return;
  known = reason;
  log::error("Changed configuration cannot be used; the earlier one stays in force",
             {{"plugin", plugin_id},
              {"file", file.empty() ? std::string("--cloud-config") : file},
              {"err", reason}});
  count(plugin_id);
}

void ConfigRejections::remove(const std::string& plugin_id, const std::string& file) {
  if (reasons_.erase({plugin_id, file}) > 0) count(plugin_id);
}

std::vector<ConfigRejection> ConfigRejections::list() const {
  std::vector<ConfigRejection> all;
  for (const auto& [key, reason] : reasons_) all.push_back({key.first, key.second, reason});
  return all;
}

void ConfigRejections::count(const std::string& plugin_id) {
  const auto files = std::count_if(reasons_.begin(), reasons_.end(), [&](const auto& entry) {
    return entry.first.first == plugin_id;
  });
  family_.Add({{"plugin", plugin_id}}).Set(static_cast<double>(files));
}

}  // namespace ccm::plugin
