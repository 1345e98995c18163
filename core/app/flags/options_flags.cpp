#include "app/flags/options_flags.hpp"

#include "app/flags/flag_value.hpp"
#include "base/plugin_folder.hpp"
#include "base/version.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace ccm::app {

namespace {

// Values of kinds that only one flag has.

class FeatureGatesValue final : public FlagValue {
 public:
  explicit FeatureGatesValue(FeatureGates* gates) : gates_(gates) {}
  Status set(std::string_view text, bool) override { return gates_->set(text); }
  [[nodiscard]] std::string text() const override { return gates_->text(); }
  [[nodiscard]] std::string_view type() const override { return "mapStringBool"; }

 private:
  FeatureGates* gates_;
};

std::unique_ptr<FlagValue> choice_value(bool* second_chosen, const std::string& first,
                                        const std::string& second, std::string_view implied) {
  const auto read = [first, second](std::string_view text) -> std::optional<bool> {
    if (text != first && text != second) return std::nullopt;
    return text == second;
  };
  const auto write = [first, second](bool chosen) { return chosen ? second : first; };
  return bound_value(second_chosen, {"string", read, write, first + " or " + second, implied});
}

std::optional<std::string> read_quantity(std::string_view text) {
  if (!is_quantity(text)) return std::nullopt;
  return std::string(text);
}

std::string_view release_of(std::string_view version) {
  return version.substr(0, version.find_first_of("-+"));
}

// A version that may be reported instead of this program's is of the same release, as upstream
// demands.
std::optional<std::string> read_version(std::string_view text) {
  if (const auto wanted = parse_bool(text)) return *wanted ? "true" : "false";
  if (text == "raw" || release_of(text) == release_of(version().text)) return std::string(text);
  return std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(trim(text.substr(0, at), " "));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// "cert,key" or "cert,key:pattern,pattern"; several with semicolons.
std::optional<std::vector<SniFlag>> read_sni(std::string_view text) {
  std::vector<SniFlag> parsed;
  for (const std::string& item : split(text, ';')) {
    if (item.empty()) continue;
    SniFlag certificate;
    const std::size_t colon = item.find(':');
    const std::vector<std::string> files = split(item.substr(0, colon), ',');
    if (colon != std::string::npos) certificate.patterns = split(item.substr(colon + 1), ',');
    const auto& patterns = certificate.patterns;
    const bool blank = std::ranges::find(patterns, std::string_view()) != patterns.end();
    if (files.size() != 2 || files[0].empty() || files[1].empty() || blank) return std::nullopt;
    certificate.certificate_file = files[0];
    certificate.key_file = files[1];
    parsed.push_back(std::move(certificate));
  }
  return parsed;
}

std::string write_sni(const std::vector<SniFlag>& certificates) {
  std::string text;
  for (const SniFlag& certificate : certificates) {
    if (!text.empty()) text += ';';
    text += certificate.certificate_file + "," + certificate.key_file;
    if (!certificate.patterns.empty()) text += ":" + format_csv(certificate.patterns);
  }
  return text;
}

std::unique_ptr<FlagValue> version_value(std::string* variable) {
  const std::string release(release_of(version().text));
  return bound_value(variable, {"version", read_version, std::identity(),
                                "true, false, raw or " + release + " with an addition, such as " +
                                    release + "-custom.1",
                                "true"});
}
std::unique_ptr<FlagValue> quantity_value(std::string* variable) {
  return bound_value(variable,
                     {"quantity", read_quantity, std::identity(), "a quantity, such as 64Ki"});
}

// The flags, group by group.

// For flags that a controller's plugin describes in more detail, limits included.
constexpr const char* kWithoutPlugin = "The controller that uses it is not installed.";

void add_generic_flags(FlagSet& flags, Options& options) {
  FlagGroup group = flags.group("Generic flags");
  GenericOptions& generic = options.generic;
  KubeCloudSharedOptions& cloud = options.kube_cloud_shared;
  group.add("cloud-provider", &cloud.cloud_provider,
            "The cloud: the name of a provider plugin, or the absolute path of its .so file. "
            "Required.");
  group.add("cloud-config", &cloud.cloud_config,
            "File with the cloud provider's own configuration. If unset, the provider gets none.");
  group.add("allow-plaintext-cloud-credentials", &cloud.allow_plaintext_cloud_credentials,
            "Let a cloud provider send its credential over plain http to another machine, where "
            "anybody on the way can read it. To this machine it always may.");
  group.add("plugin-path", &generic.plugin_paths,
            "Folders that hold controllers/ and providers/ with plugins; may be repeated, the "
            "first that has a plugin wins. If unset, ../" +
                std::string(plugin_folder()) + " beside this program.");
  group.add(
      "plugin-sha256", &generic.plugin_sha256,
      "ID=SUM: the file of the plugin ID must have this SHA-256 sum; may be repeated, also for "
      "one ID. With one given, a plugin without any is not loaded. If unset, and without "
      "--plugin-sha256-file, no sums are compared.");
  group.add(
      "plugin-sha256-file", &generic.plugin_sha256_file,
      "File with lines of --plugin-sha256; 'ccmctl plugin list --pins' prints them. If unset, "
      "only --plugin-sha256 counts.");
  group.add("controllers", &generic.controllers,
            "Controllers to run: '*' all that are on by default, 'foo' runs foo, '-foo' does not; "
            "the first item that names a controller decides.");
  group.add("cluster-name", &cloud.cluster_name,
            "Name of the cluster, given to the cloud with load balancers and routes.");
  group.add(
      "cluster-cidr", &cloud.cluster_cidr,
      "Address ranges of Pods, separated by commas: one, or one for each IP family. If unset, "
      "a controller of routes or of Pod ranges ends the start; where the cloud does not "
      "route to Pods give --configure-cloud-routes=false.");
  group.add(
      "additional-pod-cidrs", &cloud.additional_pod_cidrs,
      "Address ranges, separated by commas, besides --cluster-cidr, in which Pod ranges of Nodes "
      "get routes in the cloud. If unset, those outside of --cluster-cidr get none.");
  group.add("allocate-node-cidrs", &cloud.allocate_node_cidrs,
            "Let the node IPAM controller give each Node a part of --cluster-cidr.");
  group.add("cidr-allocator-type", &cloud.cidr_allocator_type,
            "How the node IPAM controller chooses ranges.");
  group.add("configure-cloud-routes", &cloud.configure_cloud_routes,
            "Let the route controller keep the cloud's routes to Pod ranges, if the provider has "
            "routes.");
  group.add("use-service-account-credentials", &cloud.use_service_account_credentials,
            "Let each controller call the API server under a service account of its own in "
            "kube-system; ccmctl rbac prints the roles for that.");
  group.add("route-reconciliation-period", &cloud.route_reconciliation_period,
            "Pause between two comparisons of all routes. With the feature gate "
            "CloudControllerManagerWatchBasedRoutesReconciliation --min-resync-period is.");
  group.add("min-resync-period", &generic.min_resync_period,
            "Caches hand all objects to controllers again after a random time between this and "
            "twice this.");
  group.add(
      "controller-start-interval", &generic.controller_start_interval,
      "Pause between the starts of two controllers: a random time between this and twice this. If "
      "unset, none.");
  group.add("feature-gates", std::make_unique<FeatureGatesValue>(&generic.feature_gates),
            "Name=true|false pairs, separated by commas. If unset, each has Kubernetes' default. "
            "With an effect here: " +
                gates_with_an_effect() + ". Kubernetes' other gates are accepted.");
  group.add("allow-untagged-cloud", &cloud.allow_untagged_cloud, "").deprecated =
      "only clouds that report a cluster id look at it";
  group.add("external-cloud-volume-plugin", &cloud.external_cloud_volume_plugin, "").deprecated =
      "no controller of this program uses it";
  group.add("node-sync-period", &cloud.node_sync_period, "").deprecated = "it has no effect";
}

void add_controller_flags(FlagSet& flags, Options& options) {
  NodeControllerOptions& node = options.node_controller;
  FlagGroup nodes = flags.group("Node controller flags");
  nodes.add("concurrent-node-syncs", &node.concurrent_node_syncs, kWithoutPlugin);
  nodes.add("concurrent-node-status-updates", &node.concurrent_node_status_updates, kWithoutPlugin);
  nodes.add("node-status-update-frequency", &node.node_status_update_frequency, kWithoutPlugin);
  NodeLifecycleControllerOptions& lifecycle = options.node_lifecycle_controller;
  FlagGroup lifecycles = flags.group("Node lifecycle controller flags");
  lifecycles.add("concurrent-node-lifecycle-syncs", &lifecycle.concurrent_node_lifecycle_syncs,
                 kWithoutPlugin);
  lifecycles.add("node-monitor-period", &lifecycle.node_monitor_period, kWithoutPlugin);
  FlagGroup services = flags.group("Service controller flags");
  services.add("concurrent-service-syncs", &options.service_controller.concurrent_service_syncs,
               kWithoutPlugin);
}

void add_brake_flags(FlagSet& flags, Options& options) {
  DeletionBrakeOptions& brake = options.deletion_brake;
  FlagGroup group = flags.group("Deletion brake flags");
  group.add(
      "deletion-brake-percent", &brake.percent,
      "Share of all Nodes, in percent, that may vanish from the cloud within "
      "--deletion-brake-window and still be deleted at once; when more are gone, none is "
      "deleted. Nodes that are cordoned or that an autoscaler tainted before they vanished do "
      "not count; those that the cloud calls terminated do. 100: no limit, after a first window "
      "in which a process that begins to lead deletes --deletion-brake-minimum at most.");
  group.add("deletion-brake-minimum", &brake.minimum,
            "Number of Nodes that may vanish within the window even if it is a larger share.");
  group.add("deletion-brake-window", &brake.window, "Time over which vanished Nodes are counted.");
  group.add(
      "deletion-brake-hold", &brake.hold,
      "Time after which Nodes that were held, and whose instances are still gone, are deleted "
      "after all, no faster than the limit in each window.");
}

void add_load_balancer_flags(FlagSet& flags, Options& options) {
  LoadBalancerLimitFlags& limits = options.load_balancer_limits;
  FlagGroup group = flags.group("Load balancer limit flags");
  group.add("load-balancer-change-burst", &limits.change_burst,
            "Changes of one Service that go to the cloud at once; further ones wait, one for each "
            "--load-balancer-change-period. Changes of Nodes do not count. 0: no limit.");
  group.add("load-balancer-change-period", &limits.change_period,
            "Time after which one more change of a Service goes to the cloud.");
  group.add("load-balancer-namespace-burst", &limits.namespace_burst,
            "Changes of all Services of a namespace that go to the cloud at once while half of "
            "its limit of calls is spent; further ones wait, one for each "
            "--load-balancer-namespace-period. 0: no limit.");
  group.add("load-balancer-namespace-period", &limits.namespace_period,
            "Time after which one more change of a namespace's Services goes to the cloud.");
  group.add("load-balancer-replacement-window", &limits.replacement_window,
            "Time in which the load balancer of a Service is replaced by another one once; the "
            "second replacement is held. 0: no limit.");
}

void add_client_flags(FlagSet& flags, Options& options) {
  ClientConnectionOptions& client = options.client_connection;
  FlagGroup group = flags.group("Kube API flags");
  group.add("kubeconfig", &client.kubeconfig,
            "Kubeconfig file. If unset, and without --master, the Pod's service account.");
  group.add("master", &client.master, "Address of the API server. If unset, the kubeconfig's.");
  group.add("kube-api-qps", &client.qps,
            "Requests to the API server in a second and for each client; negative: no limit. If "
            "unset, 20 with --kube-api-burst, else as many as the API server takes.");
  group.add("kube-api-burst", &client.burst,
            "Requests that a client may make at once before --kube-api-qps holds. If unset, 30 "
            "with --kube-api-qps, else as many as the API server takes.");
  group.add("kube-api-content-type", &client.content_type,
            "Encoding in which lists and watches are read: application/vnd.kubernetes.protobuf, "
            "where the API server has it and it shows every field that is needed, or "
            "application/json. Writes and their answers are JSON.");
}

void add_leader_flags(FlagSet& flags, Options& options) {
  LeaderElectionOptions& election = options.leader_election;
  FlagGroup group = flags.group("Leader election flags");
  group.add("leader-elect", &election.leader_elect,
            "Work only while holding the Lease, so that one of several replicas does.");
  group.add("leader-elect-lease-duration", &election.lease_duration,
            "A replica takes the Lease over when it saw no change for this long.");
  group.add("leader-elect-renew-deadline", &election.renew_deadline,
            "A leader that could not renew for this long gives up and ends; less than the lease "
            "duration.");
  group.add("leader-elect-retry-period", &election.retry_period,
            "Pause between two tries to take or renew the Lease.");
  group.add("leader-elect-resource-lock", &election.resource_lock,
            "Kind of the lock; leases is the only one.");
  group.add("leader-elect-resource-name", &election.resource_name, "Name of the Lease.");
  group.add("leader-elect-resource-namespace", &election.resource_namespace,
            "Namespace of the Lease.");
  FlagGroup migration = flags.group("Leader migration flags");
  migration.add(
      "enable-leader-migration", &options.leader_migration.enabled,
      "Let the controllers that move between controller managers wait for a second Lease, so "
      "that no two managers run them at once. Needs --leader-elect.");
  migration.add(
      "leader-migration-config", &options.leader_migration.config_file,
      "LeaderMigrationConfiguration that says which controllers move, who runs them, and the "
      "name of that Lease. If unset, upstream's: routes, Services and the life cycle of "
      "Nodes.");
}

void add_logging_flags(FlagSet& flags, Options& options) {
  LoggingOptions& logging = options.logging;
  FlagGroup group = flags.group("Logging flags");
  group
      .add("v", &logging.verbosity,
           "Verbosity: higher says more, up to 4. If unset, 0: what an operator has to know.")
      .shorthand = 'v';
  group.add("vmodule", &logging.vmodule,
            "pattern=N pairs, separated by commas: verbosity of single source files. Format text "
            "only. If unset, --v holds for all.");
  group.add("logging-format", &logging.format, "text or json.");
  group.add("log-flush-frequency", &logging.flush_frequency,
            "Longest time that a log line may wait in a buffer.");
  group.add(
      "log-text-split-stream", &logging.text_split_stream,
      "Errors to stderr, the rest to stdout. Needs --feature-gates=LoggingAlphaOptions=true.");
  group.add("log-text-info-buffer-size", quantity_value(&logging.text_info_buffer_size),
            "Buffer of stdout with --log-text-split-stream, such as 64Ki. Needs "
            "--feature-gates=LoggingAlphaOptions=true.");
  group.add("log-json-split-stream", &logging.json_split_stream,
            "As --log-text-split-stream, for --logging-format=json.");
  group.add("log-json-info-buffer-size", quantity_value(&logging.json_info_buffer_size),
            "As --log-text-info-buffer-size, for --logging-format=json.");
}

void add_dry_run_flags(FlagSet& flags, Options& options) {
  DryRunOptions& dry_run = options.dry_run;
  FlagGroup group = flags.group("Dry run flags");
  // "client" for the flag alone, as kubectl's.
  group.add("dry-run", choice_value(&dry_run.enabled, "none", "client", "client"),
            "client: look at the cluster and the cloud once, write nothing to either, take no "
            "Lease, print what would change, and exit: 0 = nothing, 2 = something, 1 = cannot "
            "tell. none: work.");
  group.add("dry-run-output", choice_value(&dry_run.json, "table", "json", ""),
            "How --dry-run prints the changes: table or json.");
  group.add("dry-run-timeout", &dry_run.timeout,
            "Time after which --dry-run ends although not every object was looked at.");
}

void add_misc_flags(FlagSet& flags, Options& options) {
  FlagGroup debugging = flags.group("Debugging flags");
  debugging.add("profiling", &options.generic.profiling,
                "Serve /debug/flags/v, where --v can be changed. There is no /debug/pprof.");
  debugging.add("contention-profiling", &options.generic.contention_profiling,
                "Profile waiting for locks too.");
  debugging.add("record", &options.record_file,
                "Write the HTTP exchanges of the provider to this file, 64 MiB at most, without "
                "credentials: for a report that ccm-sandbox --replay runs. If unset, nothing is "
                "recorded.");
  FlagGroup group = flags.group("Misc flags");
  group.add("help", &options.help, "Print this and exit.").shorthand = 'h';
  group.add(
      "version", version_value(&options.version),
      "Print the version and exit; raw: with all details. vX.Y.Z-ADDITION: run, and report that "
      "version of the same release. If unset, the program runs.");
}

// The main HTTPS server, its authentication and authorization, and webhooks.

// The main server's flags, or with prefix "webhook-" the webhook server's (HOST-50).
void add_tls_flags(FlagGroup& group, const std::string& prefix, TlsFlags& tls) {
  group.add(
      prefix + "cert-dir", &tls.cert_dir,
      "Folder of the certificate and its key, used without --" + prefix +
          "tls-cert-file. If unset, a self-signed certificate is made at each start and kept in "
          "memory.");
  group.add(prefix + "tls-cert-file", &tls.cert_file,
            "Certificate to serve with, followed by intermediate ones. If unset, the one of --" +
                prefix + "cert-dir.");
  group.add(prefix + "tls-private-key-file", &tls.private_key_file,
            "Key of --" + prefix + "tls-cert-file. If unset, the one of --" + prefix + "cert-dir.");
  group.add(prefix + "tls-cipher-suites", &tls.cipher_suites,
            "Cipher suites by their names in Go, such as TLS_AES_128_GCM_SHA256. If unset, a "
            "safe set.");
  group.add(prefix + "tls-min-version", &tls.min_version,
            "VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13. If unset, VersionTLS12.");
  group.add(prefix + "tls-curve-preferences", &tls.curve_preferences,
            "TLS group numbers for key exchange. If unset, the library's.");
  group.add(prefix + "tls-sni-cert-key",
            bound_value(&tls.sni, {"namedCertKey", read_sni, write_sni,
                                   "CERTIFICATE,KEY or CERTIFICATE,KEY:DOMAIN,..."}),
            "CERTIFICATE,KEY or CERTIFICATE,KEY:DOMAIN,... for names that clients ask for; may be "
            "repeated. If unset, all get the same certificate.");
  group.add(prefix + "disable-http2-serving", &tls.disable_http2, "Serve HTTP/1.1 only.");
}

void add_secure_serving_flags(FlagSet& flags, SecureServingOptions& serving) {
  FlagGroup group = flags.group("Secure serving flags");
  group.add("bind-address", ip_value(&serving.bind_address),
            "Address to listen on; 0.0.0.0 and :: mean all of all families.");
  group.add("secure-port", &serving.port, "Port of the HTTPS server; 0: serve nothing.");
  add_tls_flags(group, "", serving.tls);
  group.add("http2-max-streams-per-connection", &serving.http2_max_streams_per_connection,
            "Streams of one HTTP/2 connection.");
  group.add("permit-port-sharing", &serving.permit_port_sharing,
            "Listen with SO_REUSEPORT, so that two processes can have the port.");
  group.add("permit-address-sharing", &serving.permit_address_sharing,
            "Listen with SO_REUSEADDR, without waiting for old connections in TIME_WAIT.");
}

void add_authentication_flags(FlagSet& flags, AuthenticationOptions& options) {
  FlagGroup group = flags.group("Authentication flags");
  group.add(
      "authentication-kubeconfig", &options.kubeconfig,
      "Kubeconfig of the API server that reviews tokens. If unset, the Pod's service account; "
      "where there is none, tokens are ignored.");
  group.add("authentication-skip-lookup", &options.skip_lookup,
            "Do not read the missing authentication settings from the cluster.");
  group.add("authentication-tolerate-lookup-failure", &options.tolerate_lookup_failure,
            "Start even when the authentication settings cannot be read from the cluster.");
  group.add("authentication-token-webhook-cache-ttl", &options.token_webhook_cache_ttl,
            "How long the answer to a token review is used.");
  group.add(
      "client-ca-file", &options.client_ca_file,
      "Certificate authority of client certificates. If unset, what the cluster publishes in the "
      "ConfigMap kube-system/extension-apiserver-authentication.");
  group.add(
      "requestheader-client-ca-file", &options.requestheader_client_ca_file,
      "Certificate authority of front proxies whose headers are believed. If unset, what that "
      "ConfigMap has, its names and headers included.");
  group.add("requestheader-allowed-names", &options.requestheader_allowed_names,
            "Common names of front proxies that are believed. If unset, any.");
  group.add("requestheader-username-headers", &options.requestheader_username_headers,
            "Headers that carry the user's name.");
  group.add("requestheader-group-headers", &options.requestheader_group_headers,
            "Headers that carry groups.");
  group.add("requestheader-extra-headers-prefix", &options.requestheader_extra_headers_prefix,
            "How headers that carry extra attributes begin.");
  group.add("requestheader-uid-headers", &options.requestheader_uid_headers,
            "Headers that carry the user's UID. If unset, none does.");
}

void add_authorization_flags(FlagSet& flags, AuthorizationOptions& options) {
  FlagGroup group = flags.group("Authorization flags");
  group.add(
      "authorization-kubeconfig", &options.kubeconfig,
      "Kubeconfig of the API server that reviews access. If unset, the Pod's service account; "
      "where there is none, only system:masters and --authorization-always-allow-paths pass.");
  group.add("authorization-always-allow-paths", &options.always_allow_paths,
            "Paths that anybody may request; a * at the end matches any rest.");
  group.add("authorization-webhook-cache-authorized-ttl", &options.webhook_cache_authorized_ttl,
            "How long a permission is used without another review.");
  group.add("authorization-webhook-cache-unauthorized-ttl", &options.webhook_cache_unauthorized_ttl,
            "How long a refusal is used without another review.");
}

void add_webhook_flags(FlagSet& flags, WebhookOptions& options) {
  FlagGroup group = flags.group("Webhook flags");
  group.add("webhooks", &options.webhooks,
            "Webhooks to serve; a value is refused, as no webhooks are served. If unset, none.");
  group.add("webhook-bind-address", ip_value(&options.bind_address),
            "Address to listen on for webhooks.");
  group.add("webhook-secure-port", &options.port, "Port of the webhook server; 0: serve none.");
  add_tls_flags(group, "webhook-", options.tls);
}

void add_serving_flags(FlagSet& flags, Options& options) {
  add_secure_serving_flags(flags, options.secure_serving);
  add_authentication_flags(flags, options.authentication);
  add_authorization_flags(flags, options.authorization);
  add_webhook_flags(flags, options.webhook);
}

}  // namespace

void add_host_flags(FlagSet& flags, Options& options) {
  add_generic_flags(flags, options);
  add_controller_flags(flags, options);
  add_brake_flags(flags, options);
  add_load_balancer_flags(flags, options);
  add_client_flags(flags, options);
  add_leader_flags(flags, options);
  add_serving_flags(flags, options);
  add_logging_flags(flags, options);
  add_dry_run_flags(flags, options);
  add_misc_flags(flags, options);
}

}  // namespace ccm::app
