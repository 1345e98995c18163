#include "app/status/config_page.hpp"

#include "base/duration.hpp"

#include <nlohmann/json.hpp>

namespace ccm::app {

namespace {

using Json = nlohmann::ordered_json;

// Upstream's types of the client connection, the election and debugging have JSON names; the others
// show their fields as Go spells them.
Json generic_json(const Options& options, const ConfigInForce& in_force) {
  const GenericOptions& generic = options.generic;
  const ClientConnectionOptions& client = options.client_connection;
  const LeaderElectionOptions& election = options.leader_election;
  Json json;
  json["Port"] = options.secure_serving.port;
  json["Address"] = options.secure_serving.bind_address;
  json["MinResyncPeriod"] = format_duration(generic.min_resync_period);
  json["ClientConnection"] = {{"kubeconfig", client.kubeconfig},
                              {"acceptContentTypes", ""},
                              {"contentType", client.content_type},
                              {"qps", in_force.qps},
                              {"burst", in_force.burst}};
  json["ControllerStartInterval"] = format_duration(generic.controller_start_interval);
  json["LeaderElection"] = {{"leaderElect", election.leader_elect},
                            {"leaseDuration", format_duration(election.lease_duration)},
                            {"renewDeadline", format_duration(election.renew_deadline)},
                            {"retryPeriod", format_duration(election.retry_period)},
                            {"resourceLock", election.resource_lock},
                            {"resourceName", election.resource_name},
                            {"resourceNamespace", election.resource_namespace}};
  json["Controllers"] = generic.controllers;
  json["Debugging"] = {{"enableProfiling", generic.profiling},
                       {"enableContentionProfiling", generic.contention_profiling}};
  json["LeaderMigrationEnabled"] = options.leader_migration.enabled;
  return json;
}

Json shared_json(const KubeCloudSharedOptions& shared) {
  Json json;
  json["CloudProvider"] = {{"Name", shared.cloud_provider},
                           {"CloudConfigFile", shared.cloud_config}};
  json["ExternalCloudVolumePlugin"] = shared.external_cloud_volume_plugin;
  json["UseServiceAccountCredentials"] = shared.use_service_account_credentials;
  json["AllowUntaggedCloud"] = shared.allow_untagged_cloud;
  json["RouteReconciliationPeriod"] = format_duration(shared.route_reconciliation_period);
  json["ClusterName"] = shared.cluster_name;
  json["ClusterCIDR"] = shared.cluster_cidr;
  json["AllocateNodeCIDRs"] = shared.allocate_node_cidrs;
  json["CIDRAllocatorType"] = shared.cidr_allocator_type;
  json["ConfigureCloudRoutes"] = shared.configure_cloud_routes;
  json["NodeSyncPeriod"] = format_duration(shared.node_sync_period);
  return json;
}

}  // namespace

std::string config_json(const Options& options, const ConfigInForce& in_force) {
  const NodeControllerOptions& node = options.node_controller;
  Json config;
  config["kind"] = "CloudControllerManagerConfiguration";
  config["apiVersion"] = "cloudcontrollermanager.config.k8s.io/v1alpha1";
  config["Generic"] = generic_json(options, in_force);
  config["KubeCloudShared"] = shared_json(options.kube_cloud_shared);
  const auto in_use = [](const std::optional<std::size_t>& workers, int32_t given) {
    return workers ? static_cast<int64_t>(*workers) : given;
  };
  const int64_t syncs = in_use(in_force.node_syncs, node.concurrent_node_syncs);
  const int64_t updates = node.concurrent_node_status_updates;
  config["NodeController"] = {{"ConcurrentNodeSyncs", syncs},
                              {"ConcurrentNodeStatusUpdates", updates > 0 ? updates : syncs}};
  const NodeLifecycleControllerOptions& lifecycle = options.node_lifecycle_controller;
  config["NodeLifecycleController"] = {
      {"NodeMonitorPeriod", format_duration(lifecycle.node_monitor_period)},
      {"ConcurrentNodeLifecycleSyncs",
       in_use(in_force.node_lifecycle_syncs, lifecycle.concurrent_node_lifecycle_syncs)}};
  config["ServiceController"] = {
      {"ConcurrentServiceSyncs",
       in_use(in_force.service_syncs, options.service_controller.concurrent_service_syncs)}};
  config["NodeStatusUpdateFrequency"] = format_duration(node.node_status_update_frequency);
  config["Webhook"] = {{"Webhooks", options.webhook.webhooks}};
  const Json page = {{"cloudcontrollermanager.config.k8s.io", std::move(config)}};
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ccm::app
