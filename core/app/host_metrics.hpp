// Metrics of the host that are read at each scrape: leadership, controllers, caches, the process.
// Loop thread.
#pragma once

#include "app/client_factory.hpp"
#include "app/flags/options.hpp"
#include "app/leadership.hpp"
#include "app/plugin_selection.hpp"
#include "kube/informer.hpp"
#include "plugin_host/plugin_host.hpp"
#include "serving/metrics.hpp"

namespace ccm::app {

// All of them outlive the metrics.
struct HostMetricSources {
  const Leadership& leadership;
  const LeaderElectionOptions& election;
  const LoadedSelection& selection;
  const kube::InformerSet& informers;
  const plugin_host::PluginHost& plugins;
  const ClientFactory& clients;
};

void add_host_metrics(serving::SampledMetrics* sampled, HostMetricSources sources);

// The name in running_managed_controllers: the first alias, which for upstream's controllers is
// upstream's name there: "service" for "service-lb-controller" (MET-16, SVC-5).
std::string managed_name(const plugin_files::Component& controller);

}  // namespace ccm::app
