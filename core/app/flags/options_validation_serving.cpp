// Checks of the flags of the HTTPS servers (HOST-45..71).
#include "app/flags/options_tls.hpp"
#include "app/flags/options_validation.hpp"

namespace ccm::app {
namespace {

using Errors = std::vector<std::string>;

void validate_port(Errors& errors, const char* flag, int32_t port) {
  if (port >= 0 && port <= 65535) return;
  errors.push_back(std::string(flag) + " must be from 0 to 65535, is " + std::to_string(port) +
                   "; 0 turns the server off");
}

void validate_tls(const TlsFlags& tls, const std::string& prefix, Errors& errors) {
  const TlsParameters ignored = tls_parameters(tls, prefix, errors);
  static_cast<void>(ignored);
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

void validate_ttl(Errors& errors, const char* flag, Duration ttl) {
  if (ttl.count() < 0) errors.push_back(std::string(flag) + " must not be negative");
}

}  // namespace

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
  validate_ttl(errors, "--authentication-token-webhook-cache-ttl",
               options.authentication.token_webhook_cache_ttl);
  validate_ttl(errors, "--authorization-webhook-cache-authorized-ttl",
               options.authorization.webhook_cache_authorized_ttl);
  validate_ttl(errors, "--authorization-webhook-cache-unauthorized-ttl",
               options.authorization.webhook_cache_unauthorized_ttl);
}

}  // namespace ccm::app
