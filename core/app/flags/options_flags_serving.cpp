// Flags of the main HTTPS server, its authentication and authorization, and webhooks.
#include "app/flags/options_flags.hpp"

#include <string>

namespace ccm::app {
namespace {

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
  group.add(prefix + "tls-sni-cert-key", sni_value(&tls.sni),
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

}  // namespace

void add_serving_flags(FlagSet& flags, Options& options) {
  add_secure_serving_flags(flags, options.secure_serving);
  add_authentication_flags(flags, options.authentication);
  add_authorization_flags(flags, options.authorization);
  add_webhook_flags(flags, options.webhook);
}

}  // namespace ccm::app
