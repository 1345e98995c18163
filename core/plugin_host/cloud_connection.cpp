#include "plugin_host/cloud_connection.hpp"

#include "base/duration.hpp"
#include "base/log.hpp"
#include "cloud/broker/cloud_services.hpp"

#include <ccm/abi/owned.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::plugin_host {

namespace {

Status limits_status(const Status& status) {
  return status.code() == Code::unimplemented ? Status() : status;
}

// A context with an origin of its own, which learns the cloud's answer.
std::shared_ptr<plugin::Context> context_of(
    const std::shared_ptr<plugin::LiveComponent>& provider) {
  return provider->background()->child(
      std::nullopt, {},
      std::make_shared<plugin::Origin>(provider->identity().name, "",
                                       plugin::CallPriority::load_balancers));
}

cloud::LoadBalancerLimitOptions with_scarcity(cloud::LoadBalancerLimitOptions options,
                                              std::function<bool()> scarce) {
  options.scarce = std::move(scarce);
  return options;
}

}  // namespace

CloudConnection::CloudConnection(const PluginHostDependencies& deps)
    : timers_(deps.process.timers),
      cache_(deps.cluster.cache),
      routable_ranges_(RoutableRanges::of_flags(
          [&flags = deps.process.flags](std::string_view name) { return flags.flag(name); })),
      broker_options_(deps.cloud.broker),
      timeouts_(deps.cloud.timeouts),
      load_balancer_limits_(
          with_scarcity(deps.cloud.load_balancer_limits, [this] { return budgets_.scarce(); })),
      metrics_(deps.process.metrics),
      budgets_(deps.process.timers),
      health_(deps.process.timers),
      node_telemetry_(deps.process.metrics, deps.cluster.record_event, "nodes"),
      node_deletions_(
          {deps.cluster.cache, deps.process.timers,
           [&leader = deps.process.leader] { return leader.leading(); }, node_telemetry_},
          deps.cloud.brake),
      load_balancer_telemetry_(deps.process.metrics, deps.cluster.record_event, "loadbalancers"),
      member_telemetry_(deps.process.metrics, deps.cluster.record_event, "members"),
      route_telemetry_(deps.process.metrics, deps.cluster.record_event, "routes"),
      load_balancer_deletions_(deps.process.timers, load_balancer_telemetry_, deps.cloud.brake,
                               {"load balancers", "are not wanted any more"}),
      last_members_(deps.process.timers, member_telemetry_, deps.cloud.brake,
                    {"load balancers", "would lose all members", "lost them"}, "lose all members"),
      route_deletions_(deps.process.timers, route_telemetry_, deps.cloud.brake,
                       {"routes", "are not wanted any more"}) {}

void CloudConnection::connect(const std::shared_ptr<plugin::LiveComponent>& provider,
                              Recovered recovered) {
  connect_instances(provider, std::move(recovered));
  connect_network(provider);
  warn_of_undeclared(*provider);
}

// `ccmctl plugin inspect` shows what the manifest lists.
void CloudConnection::warn_of_undeclared(plugin::LiveComponent& provider) const {
  const plugin::ComponentIdentity& identity = provider.identity();
  const std::array<std::pair<bool, const char*>, 4> offered{
      {{instances_ != nullptr, CCM_CLOUD_INSTANCES},
       {load_balancers_ != nullptr, CCM_CLOUD_LOADBALANCERS},
       {routes_ != nullptr, CCM_CLOUD_ROUTES},
       {provider.get_interface(CCM_CLOUD_OWNED).has_value(), CCM_CLOUD_OWNED}}};
  const auto& declared = identity.interfaces;
  for (const auto& [offers, id] : offered) {
    if (!offers || std::find(declared.begin(), declared.end(), id) != declared.end()) continue;
    log::warning("Provider offers an interface that its manifest does not list",
                 {{"provider", identity.name}, {"plugin", identity.plugin_id}, {"interface", id}});
  }
}

void CloudConnection::warn_of_annotations(std::shared_ptr<cloud::AnnotationWarnings> warnings) {
  if (!load_balancers_ || !warnings) return;
  load_balancers_->on_served(
      [warnings = std::move(warnings)](const auto& service) { warnings->served(service); });
}

// Without limits of its own the host's choice holds.
Task<Status> CloudConnection::ask_limits(std::shared_ptr<plugin::LiveComponent> provider) {
  if (instances_) {
    const Status limits = co_await instances_->limits();
    if (Status status = limits_status(limits); !status.ok()) co_return status;
  }
  if (load_balancers_) {
    const auto limits = co_await load_balancers_->limits(context_of(provider));
    if (limits.ok() && !limits->id_annotation.empty()) id_annotation_ = limits->id_annotation;
    if (Status status = limits_status(limits.status()); !status.ok()) co_return status;
  }
  if (routes_) {
    const auto limits = co_await routes_->limits(context_of(provider));
    if (Status status = limits_status(limits.status()); !status.ok()) co_return status;
  }
  co_return Status();
}

void CloudConnection::connect_instances(const std::shared_ptr<plugin::LiveComponent>& provider,
                                        Recovered recovered) {
  const auto found = provider->get_interface(CCM_CLOUD_INSTANCES);
  if (!found) return;
  cloud::BrokerOptions options = broker_options_;
  options.provider_id_prefixes = provider->identity().provider_id_prefixes;
  auto made =
      std::make_shared<cloud::InstancesBroker>(provider, *found, timeouts_, std::move(options));
  if (!made->usable()) return;
  instances_ = std::move(made);
  node_deletions_.connect(instances_);
  instances_->on_recovery(std::move(recovered));
}

void CloudConnection::connect_network(const std::shared_ptr<plugin::LiveComponent>& provider) {
  if (const auto found = provider->get_interface(CCM_CLOUD_LOADBALANCERS)) {
    auto made = std::make_shared<cloud::LoadBalancersBroker>(
        provider, *found, timeouts_,
        cloud::LoadBalancersBroker::Brakes{load_balancer_deletions_, last_members_}, metrics_,
        load_balancer_limits_);
    if (made->usable()) load_balancers_ = std::move(made);
  }
  if (const auto found = provider->get_interface(CCM_CLOUD_ROUTES)) {
    auto targets =
        std::make_unique<cloud::RouteTargets>(cache_, timers_, routable_ranges_, instances_);
    auto made = std::make_shared<cloud::RoutesBroker>(
        provider, *found, timeouts_, route_deletions_, std::move(targets),
        [this](const std::string& node) { return node_deletions_.deleted(node); });
    if (made->usable()) routes_ = std::move(made);
  }
}

void CloudConnection::add_services(plugin::ComponentHost& host,
                                   const std::shared_ptr<plugin::LiveComponent>& component) const {
  if (instances_) host.add(std::make_unique<cloud::InstancesService>(component, instances_));
  if (load_balancers_)
    host.add(std::make_unique<cloud::LoadBalancersService>(component, load_balancers_));
  if (routes_) host.add(std::make_unique<cloud::RoutesService>(component, routes_));
}

Status CloudConnection::watch_nodes(runtime::EventSource& events) {
  if ((!instances_ && !routes_) || std::exchange(watches_nodes_, true)) return {};
  runtime::WatchSpec spec;
  spec.resource = "v1/nodes";
  if (instances_) spec.fields = cloud::node_fact_fields();
  if (routes_) {
    const auto& fields = cloud::route_target_fields();
    spec.fields.insert(spec.fields.end(), fields.begin(), fields.end());
  }
  return events.watch(spec, {});
}

void CloudConnection::begin() {
  node_deletions_.begin();
  load_balancer_deletions_.begin();
  last_members_.begin();
  route_deletions_.begin();
}

std::string CloudConnection::listing_suspicion() const {
  const auto age = listing_suspect_for();
  if (!age) return {};
  return "the cloud's list of instances has been incomplete or suspiciously short for " +
         short_duration(*age) + ", so nothing is concluded from what it lacks";
}

std::string CloudConnection::brake_summary() const {
  std::string text = node_deletions_.summary();
  for (const cloud::AbsenceBrake* brake :
       {&load_balancer_deletions_, &last_members_, &route_deletions_}) {
    if (brake->report().engaged) text += "; " + brake->kind() + " " + brake->status_text();
  }
  return text;
}

std::vector<BrakeStatus> CloudConnection::brakes() const {
  return {
      {"nodes", node_deletions_.report(), node_deletions_.status_text()},
      {"loadbalancers", load_balancer_deletions_.report(), load_balancer_deletions_.status_text()},
      {"members", last_members_.report(), last_members_.status_text()},
      {"routes", route_deletions_.report(), route_deletions_.status_text()}};
}

}  // namespace ccm::plugin_host
