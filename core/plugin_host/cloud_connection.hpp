// The provider's interfaces and everything between them and the controllers: brokers, brakes on
// deletions, call budgets. Loop thread.
#pragma once

#include "cloud/broker/annotation_warnings.hpp"
#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/load_balancers_broker.hpp"
#include "cloud/broker/routes_broker.hpp"
#include "cloud/cloud_health.hpp"
#include "cloud/deletion/absence_brake.hpp"
#include "cloud/deletion/deletion_telemetry.hpp"
#include "cloud/deletion/node_deletions.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/http_budgets.hpp"
#include "plugin/host_services/kube_access.hpp"
#include "plugin_host/dependencies.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_host {

struct BrakeStatus {
  std::string kind;  // as in the metrics: "nodes", "loadbalancers", "members", "routes"
  cloud::BrakeReport report;
  std::string text;  // for people
};

class CloudConnection {
 public:
  // Called when the cloud answers again, with the length of its outage.
  using Recovered = std::function<void(std::chrono::nanoseconds outage)>;

  explicit CloudConnection(const PluginHostDependencies& dependencies);

  // Takes the interfaces that the provider offers after its log-in.
  void connect(const std::shared_ptr<plugin::LiveComponent>& provider, Recovered recovered);
  // After connect(): tells Services of annotations without effect.
  void warn_of_annotations(std::shared_ptr<cloud::AnnotationWarnings> warnings);
  // After connect(): asks for their limits, and keeps to them from then on. This object outlives
  // it.
  Task<Status> ask_limits(std::shared_ptr<plugin::LiveComponent> provider);
  // The services by which a controller uses the cloud.
  void add_services(plugin::ComponentHost& host,
                    const std::shared_ptr<plugin::LiveComponent>& component) const;
  // `api` with the brake in front of deletions of Nodes.
  std::shared_ptr<plugin::ObjectApi> guard(std::shared_ptr<plugin::ObjectApi> api) {
    return cloud::guard_nodes(std::move(api), node_deletions_);
  }
  // Watches the fields that the brake on deletions of Nodes and the rule for routes read; once, and
  // only with instances or routes.
  Status watch_nodes(runtime::EventSource& events);
  // This process leads: brakes begin to count.
  void begin();

  [[nodiscard]] plugin::CallBudgets& call_budgets() { return budgets_; }
  // Whether the cloud works, by the provider's operations.
  [[nodiscard]] cloud::CloudHealth& health() { return health_; }
  [[nodiscard]] const cloud::CloudHealth& health() const { return health_; }

  // The instances of the cloud; null when the provider does not offer them.
  [[nodiscard]] cloud::InstancesBroker* instances() const { return instances_.get(); }
  // Null when the provider, as it is configured, has none.
  [[nodiscard]] const cloud::LoadBalancersBroker* load_balancers() const {
    return load_balancers_.get();
  }
  [[nodiscard]] const cloud::RoutesBroker* routes() const { return routes_.get(); }
  // Where Services record the id of their load balancer.
  [[nodiscard]] const std::string& id_annotation() const { return id_annotation_; }
  // Services that the creation brake keeps from another load balancer.
  [[nodiscard]] std::size_t replacements_held() const {
    return load_balancers_ ? load_balancers_->replacements_held() : 0;
  }
  // For how long nothing has been concluded from what the cloud's list of instances lacks.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> listing_suspect_for() const {
    return instances_ ? instances_->suspect_for() : std::nullopt;
  }
  // Why, and for how long, as a text for people; empty while the list is trusted.
  [[nodiscard]] std::string listing_suspicion() const;
  // The cloud's limits of calls, one for each credential.
  [[nodiscard]] std::vector<plugin::BudgetReport> budgets() const { return budgets_.report(); }
  // A line that anybody may read, without names: the brake on Nodes, and each other one that holds.
  [[nodiscard]] std::string brake_summary() const;
  // The brakes on all deletions that follow from a missing object.
  [[nodiscard]] std::vector<BrakeStatus> brakes() const;

 private:
  void connect_instances(const std::shared_ptr<plugin::LiveComponent>& provider,
                         Recovered recovered);
  void connect_network(const std::shared_ptr<plugin::LiveComponent>& provider);
  void warn_of_undeclared(plugin::LiveComponent& provider) const;

  runtime::Timers& timers_;
  const plugin::ObjectCache& cache_;
  const RoutableRanges routable_ranges_;
  const cloud::BrokerOptions broker_options_;
  const cloud::ProviderTimeouts timeouts_;
  const cloud::LoadBalancerLimitOptions load_balancer_limits_;
  prometheus::Registry& metrics_;
  plugin::CallBudgets budgets_;
  cloud::CloudHealth health_;
  cloud::DeletionTelemetry node_telemetry_;
  cloud::NodeDeletions node_deletions_;
  cloud::DeletionTelemetry load_balancer_telemetry_;
  cloud::DeletionTelemetry member_telemetry_;
  cloud::DeletionTelemetry route_telemetry_;
  cloud::AbsenceBrake load_balancer_deletions_;
  cloud::AbsenceBrake last_members_;  // load balancers'
  cloud::AbsenceBrake route_deletions_;
  bool watches_nodes_ = false;
  std::string id_annotation_ = "cloud-controller-manager/load-balancer-id";
  std::shared_ptr<cloud::InstancesBroker> instances_;
  std::shared_ptr<cloud::LoadBalancersBroker> load_balancers_;
  std::shared_ptr<cloud::RoutesBroker> routes_;
};

}  // namespace ccm::plugin_host
