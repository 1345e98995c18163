// The dependencies of PluginHost, supplied by the program.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/load_balancers_broker.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "net/write_gate.hpp"
#include "plugin/host_services/config_service.hpp"
#include "plugin/host_services/event_service.hpp"
#include "plugin/host_services/http_access.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "plugin/host_services/leader_service.hpp"
#include "plugin/live_component.hpp"
#include "plugin/origin.hpp"
#include "plugin/recording/http_recording.hpp"
#include "runtime/brake.hpp"
#include "runtime/controller_runner.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/worker_pool.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace prometheus {
class Registry;
}

namespace ccm::plugin {

// References must outlive PluginHost. The functions marked so may be empty.
struct PluginHostDependencies {
  runtime::EventLoop& loop;
  runtime::Timers& timers;  // the loop's own, or a test's
  runtime::WorkerPool& workers;
  prometheus::Registry& metrics;
  const FlagSource& flags;
  const LeaderState& leader;
  runtime::EventSource& events;  // InformerSource
  const ObjectCache& cache;      // InformerCache
  // Kubernetes calls under a component's identity: make_object_api(client.derive(...)).
  std::function<std::shared_ptr<ObjectApi>(const ComponentIdentity&)> object_api;
  SendHttp send_http;  // make_send_http()
  MakeHttpClient
      make_http_client{};    // make_http_clients(); empty: no component has clients of its own
  RecordEvent record_event;  // EventRecorders::record, for the host's own Events
  // The gate of all writes to Kubernetes and to the cloud; null = a gate that asks
  // leader.leading().
  std::shared_ptr<net::WriteGate> write_gate;
  // Not null in a dry run: gets the writes to the cloud, none of which is sent. `object_api` then
  // withholds those to Kubernetes. Must outlive PluginHost.
  WithheldWrites* withheld = nullptr;
  // Gets the plugins' HTTP exchanges (--record); null: none are recorded.
  std::shared_ptr<HttpRecording> recording{};
  // The user agent of a component's HTTP requests (HOST-133); empty = none is set.
  std::function<std::string(const ComponentIdentity&)> user_agent;
  std::string cloud_config_path;                // --cloud-config
  std::chrono::milliseconds default_resync{0};  // --min-resync-period
  BrokerOptions broker;
  ProviderTimeouts provider_timeouts;
  runtime::BrakeOptions brake{};
  LoadBalancerLimitOptions load_balancer_limits{};
  std::chrono::milliseconds controller_start_interval{0};  // --controller-start-interval
  // Whether a controller may begin; empty = always. Asked again by start_allowed_controllers().
  std::function<bool(const ComponentIdentity&)> may_start{};
  // Records a component's Events under its identity; empty = record_event.
  std::function<RecordEvent(const ComponentIdentity&)> component_events{};
};

}  // namespace ccm::plugin
