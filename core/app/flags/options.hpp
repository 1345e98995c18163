// The host's command line (HOST-8..74) as one tree of plain values with upstream's defaults.
// options_flags.hpp ties it to flags, options_validation.hpp checks it.
#pragma once

#include "app/flags/feature_gates.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ccm::app {

using Duration = std::chrono::nanoseconds;

struct ClientConnectionOptions {
  std::string kubeconfig;
  std::string master;
  float qps = 20;      // as in client-go: 0 stands for 5, negative for no limit
  int32_t burst = 30;  // 0 stands for 10
  std::string content_type = "application/vnd.kubernetes.protobuf";  // empty: the same
  ClientFeatureGates feature_gates;
};

struct GenericOptions {
  Duration min_resync_period = std::chrono::hours(12);
  Duration controller_start_interval{0};
  std::vector<std::string> controllers{"*"};
  std::vector<std::string> plugin_paths;   // empty: plugin::default_plugin_folder()
  std::vector<std::string> plugin_sha256;  // ID=SUM
  std::string plugin_sha256_file;
  FeatureGates feature_gates;
  bool profiling = true;
  bool contention_profiling = false;
};

struct KubeCloudSharedOptions {
  std::string cloud_provider;
  std::string cloud_config;
  std::string external_cloud_volume_plugin;
  std::string cluster_name = "kubernetes";
  std::string cluster_cidr;
  std::string additional_pod_cidrs;
  std::string cidr_allocator_type = "RangeAllocator";
  bool allocate_node_cidrs = false;
  bool allow_untagged_cloud = false;
  bool allow_plaintext_cloud_credentials = false;
  bool configure_cloud_routes = true;
  bool use_service_account_credentials = false;
  Duration node_sync_period{0};
  Duration route_reconciliation_period = std::chrono::seconds(10);
};

struct NodeControllerOptions {
  int32_t concurrent_node_syncs = 1;
  int32_t concurrent_node_status_updates = 0;  // 0: as many as concurrent_node_syncs
  Duration node_status_update_frequency = std::chrono::minutes(5);
};

struct NodeLifecycleControllerOptions {
  int32_t concurrent_node_lifecycle_syncs = 1;
  Duration node_monitor_period = std::chrono::seconds(5);
};

struct DeletionBrakeOptions {
  int32_t percent = 25;
  int32_t minimum = 2;
  Duration window = std::chrono::minutes(10);
  Duration hold = std::chrono::minutes(30);
};

struct ServiceControllerOptions {
  int32_t concurrent_service_syncs = 1;
};

// Limits of changes of load balancers; a burst of 0: no limit.
struct LoadBalancerLimitFlags {
  int32_t change_burst = 10;  // for one Service
  Duration change_period = std::chrono::seconds(30);
  int32_t namespace_burst = 100;
  Duration namespace_period = std::chrono::seconds(5);
  Duration replacement_window = std::chrono::minutes(10);  // 0: no limit
};

struct LeaderElectionOptions {
  bool leader_elect = true;
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  std::string resource_lock = "leases";
  std::string resource_name = "cloud-controller-manager";
  std::string resource_namespace = "kube-system";
};

struct LeaderMigrationOptions {
  bool enabled = false;
  std::string config_file;
};

struct SniFlag {
  std::string certificate_file;
  std::string key_file;
  std::vector<std::string> patterns;  // empty: the certificate's own names
};

struct TlsFlags {
  std::string cert_dir;  // empty: self-signed in memory
  std::string cert_file;
  std::string private_key_file;
  std::vector<std::string> cipher_suites;  // Go's names; empty: the defaults
  std::string min_version;                 // "VersionTLS12"; empty: that
  std::vector<int32_t> curve_preferences;  // TLS group numbers
  std::vector<SniFlag> sni;
  bool disable_http2 = false;
};

struct SecureServingOptions {
  std::string bind_address = "0.0.0.0";  // unspecified: all families
  int32_t port = 10258;                  // 0: no server
  TlsFlags tls;
  int32_t http2_max_streams_per_connection = 0;
  bool permit_port_sharing = false;
  bool permit_address_sharing = false;
};

struct AuthenticationOptions {
  std::string kubeconfig;
  bool skip_lookup = false;
  bool tolerate_lookup_failure = false;
  Duration token_webhook_cache_ttl = std::chrono::seconds(10);
  std::string client_ca_file;
  std::string requestheader_client_ca_file;
  std::vector<std::string> requestheader_allowed_names;
  std::vector<std::string> requestheader_username_headers{"x-remote-user"};
  std::vector<std::string> requestheader_group_headers{"x-remote-group"};
  std::vector<std::string> requestheader_extra_headers_prefix{"x-remote-extra-"};
  std::vector<std::string> requestheader_uid_headers;
};

struct AuthorizationOptions {
  std::string kubeconfig;
  std::vector<std::string> always_allow_paths{"/healthz", "/readyz", "/livez"};
  Duration webhook_cache_authorized_ttl = std::chrono::seconds(10);
  Duration webhook_cache_unauthorized_ttl = std::chrono::seconds(10);
};

struct WebhookOptions {
  std::vector<std::string> webhooks;
  std::string bind_address = "0.0.0.0";
  int32_t port = 10260;  // 0: no server
  TlsFlags tls;
};

struct LoggingOptions {
  int32_t verbosity = 0;
  std::string vmodule;
  std::string format = "text";
  Duration flush_frequency = std::chrono::seconds(5);
  bool text_split_stream = false;
  bool json_split_stream = false;
  std::string text_info_buffer_size = "0";  // a quantity of bytes
  std::string json_info_buffer_size = "0";
};

struct DryRunOptions {
  bool enabled = false;  // --dry-run=client
  bool json = false;     // --dry-run-output=json
  Duration timeout = std::chrono::minutes(2);
};

struct Options {
  GenericOptions generic;
  ClientConnectionOptions client_connection;
  KubeCloudSharedOptions kube_cloud_shared;
  NodeControllerOptions node_controller;
  NodeLifecycleControllerOptions node_lifecycle_controller;
  DeletionBrakeOptions deletion_brake;
  ServiceControllerOptions service_controller;
  LoadBalancerLimitFlags load_balancer_limits;
  LeaderElectionOptions leader_election;
  LeaderMigrationOptions leader_migration;
  SecureServingOptions secure_serving;
  AuthenticationOptions authentication;
  AuthorizationOptions authorization;
  WebhookOptions webhook;
  LoggingOptions logging;
  DryRunOptions dry_run;
  std::string record_file;        // --record; empty: nothing is recorded
  std::string version = "false";  // --version: "true", "raw", or a version to report
  bool help = false;
};

}  // namespace ccm::app
