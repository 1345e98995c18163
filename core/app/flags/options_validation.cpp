#include "app/flags/options_validation.hpp"

#include "app/flags/options_tls.hpp"
#include "base/duration.hpp"
#include "base/log.hpp"

#include <ccm/cidr.hpp>

#include <algorithm>
#include <utility>

namespace ccm::app {

namespace {

using Errors = std::vector<std::string>;

void require_positive(Errors& errors, const char* flag, Duration value) {
  if (value.count() > 0) return;
  errors.push_back(std::string(flag) + " must be above 0, is " + format_duration(value));
}

void require_not_negative(Errors& errors, const char* flag, Duration value) {
  if (value.count() >= 0) return;
  errors.push_back(std::string(flag) + " must not be negative, is " + format_duration(value));
}

void require_at_least(Errors& errors, const char* flag, int32_t value, int32_t least) {
  if (value >= least) return;
  errors.push_back(std::string(flag) + " must be at least " + std::to_string(least) + ", is " +
                   std::to_string(value));
}

void validate_port(Errors& errors, const char* flag, int32_t port) {
  if (port >= 0 && port <= 65535) return;
  errors.push_back(std::string(flag) + " must be from 0 to 65535, is " + std::to_string(port) +
                   "; 0 turns the server off");
}

void validate_tls(const TlsFlags& tls, const std::string& prefix, Errors& errors) {
  static_cast<void>(tls_parameters(tls, prefix, errors));
  if (tls.cert_file.empty() != tls.private_key_file.empty()) {
    const std::string flags = "--" + prefix + "tls-";
    errors.push_back(flags + "cert-file and " + flags +
                     "private-key-file belong together: one of them is missing");
  }
}

// One * at the end stands for any rest (HOST-70).
void validate_always_allow_paths(const AuthorizationOptions& options, Errors& errors) {
  for (const std::string& path : options.always_allow_paths) {
    const std::size_t star = path.find('*');
    if (star == std::string::npos || star + 1 == path.size()) continue;
    errors.push_back("--authorization-always-allow-paths: in \"" + path +
                     "\" a * may only stand at the end");
  }
}

void validate_headers(const AuthenticationOptions& options, Errors& errors) {
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"--requestheader-username-headers", &options.requestheader_username_headers},
      {"--requestheader-group-headers", &options.requestheader_group_headers},
      {"--requestheader-extra-headers-prefix", &options.requestheader_extra_headers_prefix},
      {"--requestheader-uid-headers", &options.requestheader_uid_headers},
      {"--requestheader-allowed-names", &options.requestheader_allowed_names}};
  for (const auto& [flag, values] : lists) {
    for (const std::string& value : *values) {
      if (value.find_first_not_of(" \t") != std::string::npos) continue;
      errors.push_back(std::string(flag) + " has an empty item");
    }
  }
}

// The flags of the HTTPS servers (HOST-45..71).
void validate_serving(const Options& options, Errors& errors) {
  const SecureServingOptions& serving = options.secure_serving;
  const WebhookOptions& webhook = options.webhook;
  validate_port(errors, "--secure-port", serving.port);
  validate_port(errors, "--webhook-secure-port", webhook.port);
  if (serving.port != 0 && serving.port == webhook.port) {
    errors.push_back("--webhook-secure-port must differ from --secure-port; both are " +
                     std::to_string(serving.port));
  }
  if (serving.http2_max_streams_per_connection < 0) {
    errors.emplace_back("--http2-max-streams-per-connection must not be negative");
  }
  validate_tls(serving.tls, "", errors);
  validate_tls(webhook.tls, "webhook-", errors);
  validate_always_allow_paths(options.authorization, errors);
  validate_headers(options.authentication, errors);
  require_not_negative(errors, "--authentication-token-webhook-cache-ttl",
                       options.authentication.token_webhook_cache_ttl);
  require_not_negative(errors, "--authorization-webhook-cache-authorized-ttl",
                       options.authorization.webhook_cache_authorized_ttl);
  require_not_negative(errors, "--authorization-webhook-cache-unauthorized-ttl",
                       options.authorization.webhook_cache_unauthorized_ttl);
}

constexpr std::string_view kIpamController = "node-ipam-controller";

void validate_cidrs(const std::string& text, Errors& errors) {
  const std::string flag = "--cluster-cidr=" + text;
  std::size_t families[2] = {0, 0};
  for (const std::string& item : split_cidrs(text)) {
    const auto cidr = parse_cidr(item);
    if (!cidr) {
      errors.push_back(flag + ": \"" + item + "\" is no address range such as 10.244.0.0/16");
      return;
    }
    ++families[cidr->v6 ? 1 : 0];
  }
  if (families[0] + families[1] > 2) {
    errors.push_back(flag + ": at most two ranges are allowed, one for each IP family");
  } else if (families[0] > 1 || families[1] > 1) {
    errors.push_back(flag + ": two ranges must be one of IPv4 and one of IPv6");
  }
}

void validate_additional(const std::string& text, Errors& errors) {
  const std::string flag = "--additional-pod-cidrs=" + text;
  for (const std::string& item : split_cidrs(text)) {
    const auto cidr = parse_cidr(item);
    if (!cidr) {
      errors.push_back(flag + ": \"" + item + "\" is no address range such as 10.245.0.0/16");
    } else if (cidr->prefix == 0) {
      errors.push_back(flag + ": " + item + " permits everything; name the ranges of the Pods");
    }
  }
}

// --cluster-cidr, --additional-pod-cidrs and what needs them (HOST-8, HOST-13, TRAP-1).
void validate_network(const Options& options, Validation& result) {
  const std::string cidrs(trim(options.kube_cloud_shared.cluster_cidr));
  const bool allocates = options.kube_cloud_shared.allocate_node_cidrs;
  const auto& enabled = result.enabled;
  validate_additional(options.kube_cloud_shared.additional_pod_cidrs, result.errors);
  const bool has_ipam = std::ranges::find(enabled, kIpamController) != enabled.end();
  // The flag alone starts no allocator: neither does it with the Go program's defaults, and often
  // kube-controller-manager already runs one.
  if (allocates && !has_ipam) {
    result.idle.push_back({"--allocate-node-cidrs",
                           "--controllers does not name node-ipam-controller, as "
                           "--controllers=*,node-ipam-controller does"});
  }
  // The route controller checks that routes need it: it knows whether the provider has routes.
  if (!cidrs.empty()) {
    validate_cidrs(cidrs, result.errors);
  } else if (allocates && has_ipam) {
    result.errors.emplace_back(
        "--allocate-node-cidrs needs --cluster-cidr, the address range to allocate from");
  }
}

// The limits of flags that only plugins read are in their manifests.
void validate_controller_flags(const Options& options, Errors& errors) {
  const NodeControllerOptions& node = options.node_controller;
  require_positive(errors, "--node-status-update-frequency", node.node_status_update_frequency);
  require_positive(errors, "--node-monitor-period",
                   options.node_lifecycle_controller.node_monitor_period);
  require_positive(errors, "--route-reconciliation-period",
                   options.kube_cloud_shared.route_reconciliation_period);
  const DeletionBrakeOptions& brake = options.deletion_brake;
  if (brake.percent < 0 || brake.percent > 100) {
    errors.push_back("--deletion-brake-percent must be from 0 to 100, is " +
                     std::to_string(brake.percent));
  }
  require_at_least(errors, "--deletion-brake-minimum", brake.minimum, 0);
  require_positive(errors, "--deletion-brake-window", brake.window);
  require_positive(errors, "--deletion-brake-hold", brake.hold);
  const LoadBalancerLimitFlags& limits = options.load_balancer_limits;
  require_at_least(errors, "--load-balancer-change-burst", limits.change_burst, 0);
  require_positive(errors, "--load-balancer-change-period", limits.change_period);
  require_at_least(errors, "--load-balancer-namespace-burst", limits.namespace_burst, 0);
  require_positive(errors, "--load-balancer-namespace-period", limits.namespace_period);
  require_not_negative(errors, "--load-balancer-replacement-window", limits.replacement_window);
  require_not_negative(errors, "--min-resync-period", options.generic.min_resync_period);
  require_not_negative(errors, "--controller-start-interval",
                       options.generic.controller_start_interval);
}

void validate_client(const ClientConnectionOptions& client, Errors& errors) {
  require_at_least(errors, "--kube-api-burst", client.burst, 0);
  const std::string& type = client.content_type;
  if (!type.empty() && type != "application/json" &&
      type != "application/vnd.kubernetes.protobuf") {
    errors.push_back(
        "--kube-api-content-type must be application/vnd.kubernetes.protobuf or application/json, "
        "is \"" +
        type + "\"");
  }
}

// HOST-27, HOST-110. The Go program panics (exit code 2) on wrong timings; here they are errors
// like all others.
void validate_leader_election(const LeaderElectionOptions& election, Errors& errors) {
  if (!election.leader_elect) return;
  const std::size_t before = errors.size();
  require_positive(errors, "--leader-elect-lease-duration", election.lease_duration);
  require_positive(errors, "--leader-elect-renew-deadline", election.renew_deadline);
  require_positive(errors, "--leader-elect-retry-period", election.retry_period);
  if (errors.size() == before) {
    const std::string deadline = format_duration(election.renew_deadline);
    if (election.lease_duration <= election.renew_deadline) {
      errors.push_back("--leader-elect-lease-duration (" +
                       format_duration(election.lease_duration) +
                       ") must be above --leader-elect-renew-deadline (" + deadline + ")");
    }
    if (election.lease_duration < std::chrono::seconds(1)) {
      errors.push_back("--leader-elect-lease-duration must be at least 1s: a Lease counts seconds");
    }
    if (election.renew_deadline.count() <= election.retry_period.count() / 5 * 6) {
      errors.push_back("--leader-elect-renew-deadline (" + deadline +
                       ") must be above 1.2 times --leader-elect-retry-period (" +
                       format_duration(election.retry_period) + ")");
    }
  }
  if (election.resource_lock != "leases") {
    errors.push_back("--leader-elect-resource-lock must be leases, is \"" + election.resource_lock +
                     "\"");
  }
  if (election.resource_name.empty()) {
    errors.push_back("--leader-elect-resource-name must not be empty");
  }
  if (election.resource_namespace.empty()) {
    errors.push_back("--leader-elect-resource-namespace must not be empty");
  }
}

// HOST-121.
void note_idle_migration(const Options& options, Validation& result) {
  const LeaderMigrationOptions& migration = options.leader_migration;
  if (migration.enabled && !options.leader_election.leader_elect) {
    result.idle.push_back({"--enable-leader-migration", "--leader-elect is false"});
  } else if (!migration.enabled && !migration.config_file.empty()) {
    result.idle.push_back({"--leader-migration-config", "--enable-leader-migration is not given"});
  }
}

void validate_logging(const Options& options, Errors& errors) {
  const LoggingOptions& logging = options.logging;
  const bool json = logging.format == "json";
  if (!json && logging.format != "text") {
    errors.push_back("--logging-format must be text or json, is \"" + logging.format + "\"");
  }
  require_positive(errors, "--log-flush-frequency", logging.flush_frequency);
  const Status modules = log::check_vmodule(logging.vmodule);
  if (!modules.ok()) errors.push_back("--vmodule: " + modules.message());
  if (json && !options.generic.feature_gates.enabled("LoggingBetaOptions")) {
    errors.emplace_back(
        "--logging-format=json needs the feature gate LoggingBetaOptions, which "
        "--feature-gates switches off");
  }
  if (json && !logging.vmodule.empty()) {
    errors.push_back("--vmodule works with --logging-format=text only");
  }
  if (options.generic.feature_gates.enabled("LoggingAlphaOptions")) return;
  const std::pair<const char*, bool> alpha[] = {
      {"--log-text-split-stream", logging.text_split_stream},
      {"--log-json-split-stream", logging.json_split_stream},
      {"--log-text-info-buffer-size", logging.text_info_buffer_size != "0"},
      {"--log-json-info-buffer-size", logging.json_info_buffer_size != "0"}};
  for (const auto& [flag, used] : alpha) {
    if (used) {
      errors.push_back(std::string(flag) + " needs --feature-gates=LoggingAlphaOptions=true");
    }
  }
}

}  // namespace

bool log_splits_streams(const LoggingOptions& options) {
  return options.format == "json" ? options.json_split_stream : options.text_split_stream;
}

Validation validate(const Options& options, std::span<const KnownController> controllers) {
  Validation result;
  if (options.kube_cloud_shared.cloud_provider.empty()) {
    result.errors.emplace_back(
        "--cloud-provider must name a provider, such as --cloud-provider=sandbox");
  }
  ControllerSelection selection = select_controllers(options.generic.controllers, controllers);
  for (const std::string& error : selection.errors) {
    result.errors.push_back("--controllers: " + error);
  }
  result.enabled = std::move(selection.enabled);
  if (!options.webhook.webhooks.empty()) {  // HOST-45
    result.errors.emplace_back(
        "--webhooks must be empty: this program serves no webhooks; run the cloud's as programs "
        "of their own");
  }
  validate_controller_flags(options, result.errors);
  validate_client(options.client_connection, result.errors);
  validate_network(options, result);
  validate_leader_election(options.leader_election, result.errors);
  note_idle_migration(options, result);
  validate_serving(options, result.errors);
  validate_logging(options, result.errors);
  require_positive(result.errors, "--dry-run-timeout", options.dry_run.timeout);
  return result;
}

}  // namespace ccm::app
