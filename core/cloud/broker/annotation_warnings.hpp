// Warning Events about annotations of Services that have no effect beside the others, by what the
// provider's manifest says of them. Loop thread.
#pragma once

#include "base/recent_map.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin_files/service_annotations.hpp"

#include <ccm/load_balancer.hpp>

#include <cstddef>
#include <string>

namespace ccm::cloud {

class AnnotationWarnings {
 public:
  static constexpr std::size_t kMost = 16'384;  // Services, then the oldest is told again

  // `source`: of the Events.
  AnnotationWarnings(plugin_files::AnnotationTable table,
                     plugin_files::EnvironmentValue environment, plugin::RecordEvent record,
                     std::string source);

  // The provider did what the Service asks for. It is told once, and again when other annotations
  // have no effect.
  void served(const LoadBalancerService& service);

 private:
  struct Found {
    std::string names;
    std::string text;
  };
  [[nodiscard]] Found look_at(const kube::Object& service) const;

  const plugin_files::AnnotationTable table_;
  const plugin_files::EnvironmentValue environment_;
  const plugin::RecordEvent record_;
  const std::string source_;
  RecentMap<std::size_t> told_{kMost};  // a hash of the last names, by UID; 0 = none
};

}  // namespace ccm::cloud
