// The metrics of this controller, defined in this order.
#pragma once

#include <ccm/metrics.hpp>

namespace ccm::service {

struct ServiceMetrics {
  // [create]
  explicit ServiceMetrics(const Metrics& metrics)
      : updates(metrics.counter("service_controller_loadbalancer_sync_total",
                                "Updates of a load balancer's backends that were begun.")),
        failed_updates(metrics.counter("service_controller_nodesync_error_total",
                                       "Updates of a load balancer's backends that failed.")),
        node_pass(metrics.histogram(
            "service_controller_nodesync_latency_seconds",
            "From a change of Nodes until every Service has seen it.",
            {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384})),
        update_duration(metrics.histogram(
            "service_controller_update_loadbalancer_host_latency_seconds",
            "Duration of one update of a load balancer's backends.",
            {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384})),
        time_to_address(
            metrics.histogram("ccm_service_time_to_address_seconds",
                              "From when a Service first needed a load balancer until its "
                              "status got an address.",
                              {1, 4, 16, 64, 256, 1024})) {}

  Metric updates;          // MET-4
  Metric failed_updates;   // MET-5
  Metric node_pass;        // MET-6
  Metric update_duration;  // MET-7
  Metric time_to_address;
};

}  // namespace ccm::service
