#include "app/endpoint.hpp"

#include "app/client_factory.hpp"
#include "app/flags/options_tls.hpp"
#include "app/process_limits.hpp"
#include "base/log.hpp"
#include "kube/config.hpp"
#include "serving/auth/access_control.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <prometheus/registry.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace ccm::app {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kRolePause{60};
constexpr double kReviewQps = 200;  // HOST-103
constexpr int kReviewBurst = 400;

serving::TrustOptions trust_options(const AuthenticationOptions& flags) {
  serving::TrustOptions trust;
  trust.client_ca_file = flags.client_ca_file;
  trust.proxy_ca_file = flags.requestheader_client_ca_file;
  trust.proxies.allowed_names = flags.requestheader_allowed_names;
  trust.proxies.username_headers = flags.requestheader_username_headers;
  trust.proxies.group_headers = flags.requestheader_group_headers;
  trust.proxies.extra_prefixes = flags.requestheader_extra_headers_prefix;
  trust.proxies.uid_headers = flags.requestheader_uid_headers;
  return trust;
}

// Pods have these variables whether or not they mount a service account's token.
bool in_pod() {
  return std::getenv("KUBERNETES_SERVICE_HOST") != nullptr &&
         std::getenv("KUBERNETES_SERVICE_PORT") != nullptr;
}

serving::Answer slis_page(serving::MetricsPage& page, serving::HealthRegistry& health,
                          const serving::Request& request) {
  if (request.method == "DELETE") {
    health.reset_counts();
    return serving::Answer{200, "metrics reset\n"};
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return serving::Answer{405, "method not allowed\n", "GET, HEAD, DELETE"};
  }
  return page.show();
}

// `options` passed validation, so nothing can fail here any more.
serving::ServingOptions serving_options(const SecureServingOptions& options) {
  serving::ServingOptions result;
  result.bind_address = options.bind_address;
  result.port = static_cast<std::uint16_t>(options.port);
  result.permit_port_sharing = options.permit_port_sharing;
  // Clients must not take the descriptors that the API server and the cloud need.
  const std::size_t descriptors = descriptor_limit();
  result.max_connections = std::min(result.max_connections, descriptors / 2);
  result.max_strangers = std::min(result.max_strangers, descriptors / 4);
  result.certificate_file = options.tls.cert_file;
  result.private_key_file = options.tls.private_key_file;
  result.certificate_directory = options.tls.cert_dir;
  for (const auto& sni : options.tls.sni) {
    result.sni_certificates.push_back({sni.certificate_file, sni.key_file, sni.patterns});
  }
  std::vector<std::string> told_by_validation;
  TlsParameters tls = tls_parameters(options.tls, "", told_by_validation);
  result.min_tls_version = tls.min_version;
  result.cipher_list = std::move(tls.cipher_list);
  result.ciphersuites = std::move(tls.ciphersuites);
  result.groups = std::move(tls.groups);
  return result;
}

}  // namespace

Endpoint::Endpoint(asio::any_io_executor executor, const Options& options,
                   prometheus::Registry& metrics, const serving::SampledMetrics& sampled,
                   std::shared_ptr<serving::HealthRegistry> health)
    : executor_(std::move(executor)),
      options_(options),
      health_(std::move(health)),
      auth_metrics_(metrics),
      token_cache_metrics_(metrics),
      metrics_page_({&sampled, &metrics}, true),
      health_metrics_page_({health_.get(), &health_sampled_}),
      trust_(std::make_shared<serving::TrustSource>(trust_options(options.authentication))) {
  serving::add_start_time(&health_sampled_);
}

Endpoint::~Endpoint() { stop(); }

// As upstream: the file, or the Pod's service account, or nobody to ask (HOST-62, 69). An unusable
// file that a flag names is an error; an unusable service account counts as absent.
Result<Endpoint::Reviewer> Endpoint::reviewer(
    const std::string& kubeconfig, const char* flag, const char* name,
    std::function<void(const kube::CallRecord&)> observer) {
  const auto nobody = [flag](const Status& why) {
    Reviewer none;
    none.why_none = std::string(flag) + " is not set, and ";
    none.why_none += in_pod() ? "the Pod's service account cannot be used: " + why.message()
                              : "there is no service account outside of a Pod";
    return none;
  };
  auto config = kubeconfig.empty() ? kube::in_cluster_config(kube::ClusterEnvironment::process())
                                   : kube::load_kubeconfig(kubeconfig);
  if (!config.ok() && kubeconfig.empty()) return nobody(config.status());
  if (!config.ok()) return config.status().with_context(flag);
  kube::ClientOptions client;
  client.qps = kReviewQps;
  client.burst = kReviewBurst;
  client.max_retries = 2;
  client.user_agent = ClientFactory::user_agent_of(name);
  client.observer = std::move(observer);
  Reviewer made{kube::Client(executor_, std::move(*config), client), {}};
  Status status = made.client->check();
  if (!status.ok() && kubeconfig.empty()) return nobody(status);
  if (!status.ok()) return status.with_context(flag);
  return made;
}

Status Endpoint::make_access() {
  if (Status status = trust_->load(); !status.ok()) return status;
  const AuthenticationOptions& who = options_.authentication;
  auto asked = reviewer(who.kubeconfig, "--authentication-kubeconfig", "authentication",
                        auth_metrics_.token_review_observer());
  if (!asked.ok()) return asked.status();
  std::shared_ptr<serving::TokenReviewer> tokens;
  if (asked->client) {
    access_.authentication = "client certificates, and bearer tokens that the API server reviews";
    tokens = std::make_shared<serving::TokenReviewer>(
        serving::ReviewClient(*asked->client, "/apis/authentication.k8s.io/v1/tokenreviews", {}),
        who.token_webhook_cache_ttl, token_cache_metrics_);
    trust_client_ = *asked->client;
  } else {
    access_.authentication =
        "client certificates by the flags' files only, no bearer tokens: " + asked->why_none;
    log::info("Bearer tokens are ignored, client certificates are trusted by the flags' files only",
              {{"reason", asked->why_none}});
  }
  const AuthorizationOptions& what = options_.authorization;
  asked = reviewer(what.kubeconfig, "--authorization-kubeconfig", "authorization",
                   auth_metrics_.access_review_observer());
  if (!asked.ok()) return asked.status();
  std::shared_ptr<serving::AccessReviewer> access;
  if (asked->client) {
    access_.authorization = "the API server reviews each access";
    const serving::AccessReviewer::Lifetimes lifetimes{what.webhook_cache_authorized_ttl,
                                                       what.webhook_cache_unauthorized_ttl};
    access = std::make_shared<serving::AccessReviewer>(
        serving::ReviewClient(*asked->client, "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                              {}),
        lifetimes);
  } else {
    access_.authorization =
        "system:masters and --authorization-always-allow-paths only: " + asked->why_none;
    log::info("Only system:masters and --authorization-always-allow-paths pass",
              {{"reason", asked->why_none}});
  }
  site_ = std::make_shared<serving::Site>(std::make_shared<serving::AccessControl>(
      serving::Authenticator(trust_, std::move(tokens), auth_metrics_), std::move(access),
      what.always_allow_paths, auth_metrics_));
  return {};
}

void Endpoint::add_pages() {
  add_health_pages(site_.get(), health_);
  site_->add("/metrics", [this](const serving::Request& request) {
    if (const auto refusal = serving::only_reads(request)) return *refusal;
    return metrics_page_.show();
  });
  site_->add("/metrics/slis", [this](const serving::Request& request) {
    return slis_page(health_metrics_page_, *health_, request);
  });
  if (options_.generic.profiling) site_->add("/debug/flags/v", serving::verbosity_page);
  for (auto& [path, page] : pages_) site_->add(std::move(path), std::move(page));
  pages_.clear();
}

Status Endpoint::start() {
  if (options_.secure_serving.port == 0) return {};
  if (Status status = make_access(); !status.ok()) return status;
  add_pages();
  serving::ServingOptions serving = serving_options(options_.secure_serving);
  serving.certificate_in_use = certificate_in_use_;
  server_ = std::make_unique<serving::SecureServer>(executor_, std::move(serving), site_);
  return server_->start();
}

asio::awaitable<Status> Endpoint::look_up_trust() {
  const AuthenticationOptions& flags = options_.authentication;
  if (!server_ || !trust_client_ || flags.skip_lookup || !trust_->wants_cluster()) {
    co_return Status();
  }
  cluster_trust_ = std::make_unique<serving::ClusterTrust>(*trust_client_, trust_);
  Status status = co_await cluster_trust_->look_up();
  if (status.code() == Code::permission_denied) {
    log::info(
        "Client certificates and front proxies are trusted only by the flags' files until a role "
        "allows reading the cluster's authentication settings",
        {{"err", status}});
    status = co_await await_role();
    if (stopping_) co_return Status();
  }
  if (!status.ok()) {
    if (!flags.tolerate_lookup_failure) co_return status;
    log::warning("Continuing without the cluster's authentication settings", {{"err", status}});
  }
  cluster_trust_->follow();
  co_return Status();
}

// The role may be created later, so the process goes on; the Go managers' own role does not allow
// this read either (DO-307).
asio::awaitable<Status> Endpoint::await_role() {
  Status status(Code::permission_denied, "not asked again");
  while (status.code() == Code::permission_denied && !stopping_) {
    role_timer_.expires_after(kRolePause);
    co_await role_timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (!stopping_) status = co_await cluster_trust_->look_up();
  }
  // It has been read, or will be: the watch retries for ever.
  co_return Status();
}

void Endpoint::stop() {
  stopping_ = true;
  role_timer_.cancel();
  if (cluster_trust_) cluster_trust_->stop();
  if (server_) server_->stop();
}

}  // namespace ccm::app
