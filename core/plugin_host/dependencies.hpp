// The dependencies of PluginHost, supplied by the program.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/load_balancers_broker.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "cloud/deletion/brake.hpp"
#include "net/write_gate.hpp"
#include "plugin/host_services/config_service.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin/host_services/http_access.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "plugin/host_services/leader_service.hpp"
#include "plugin/live_component.hpp"
#include "plugin/origin.hpp"
#include "plugin/recording/http_recording.hpp"
#include "runtime/controller_runner.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/worker_pool.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace prometheus {
class Registry;
}

namespace ccm::plugin_host {

// The process that plugins run in.
struct ProcessParts {
  runtime::EventLoop& loop;
  runtime::Timers& timers;  // the loop's own, or a test's
  runtime::WorkerPool& workers;
  prometheus::Registry& metrics;
  const plugin::FlagSource& flags;
  const plugin::LeaderState& leader;
  // The gate of all writes to Kubernetes and to the cloud; null = a gate that asks
  // leader.leading().
  std::shared_ptr<net::WriteGate> write_gate{};
  // Not null in a dry run: gets the writes to the cloud, none of which is sent.
  // ClusterParts::object_api then withholds those to Kubernetes.
  plugin::WithheldWrites* withheld = nullptr;
  // Whether a metric of that name is read at each scrape, so that no plugin may have it; empty =
  // none is.
  std::function<bool(std::string_view name)> is_sampled_metric{};
};

// Kubernetes, as controllers see it.
struct ClusterParts {
  runtime::EventSource& events;      // InformerSource
  const plugin::ObjectCache& cache;  // InformerCache
  // Kubernetes calls under a component's identity: make_object_api(client.derive(...)).
  std::function<std::shared_ptr<plugin::ObjectApi>(const plugin::ComponentIdentity&)> object_api{};
  plugin::RecordEvent record_event{};  // EventRecorders::record, for the host's own Events
  // Records a component's Events under its identity; empty = record_event.
  std::function<plugin::RecordEvent(const plugin::ComponentIdentity&)> component_events{};
  std::chrono::milliseconds default_resync{0};             // --min-resync-period
  std::chrono::milliseconds controller_start_interval{0};  // --controller-start-interval
  // Whether a controller may begin; empty = always. Asked again by start_allowed_controllers().
  std::function<bool(const plugin::ComponentIdentity&)> may_start{};
};

// The way to the cloud, and what its provider is trusted with.
struct CloudParts {
  plugin::SendHttp send_http{};  // make_send_http()
  plugin::MakeHttpClient
      make_http_client{};  // make_http_clients(); empty: no clients of components' own
  // The user agent of a component's HTTP requests (HOST-133); empty = none is set.
  std::function<std::string(const plugin::ComponentIdentity&)> user_agent{};
  // Gets the plugins' HTTP exchanges (--record); null: none are recorded.
  std::shared_ptr<plugin::HttpRecording> recording{};
  std::string config_path{};  // --cloud-config
  cloud::BrokerOptions broker{};
  cloud::ProviderTimeouts timeouts{};
  cloud::BrakeOptions brake{};
  cloud::LoadBalancerLimitOptions load_balancer_limits{};
};

// What they refer to must outlive PluginHost.
struct PluginHostDependencies {
  ProcessParts process;
  ClusterParts cluster;
  CloudParts cloud{};
};

}  // namespace ccm::plugin_host
