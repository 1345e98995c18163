#include "provider.hpp"

#include "cluster_search.hpp"
#include "config/cloud_config.hpp"
#include "config/endpoints.hpp"
#include "credentials/assumed_role.hpp"
#include "credentials/chain.hpp"
#include "credentials/file_keys.hpp"
#include "permissions/trial.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace ccm::aws {
namespace {

constexpr const char* kUserAgent = "aws-cloud-controller-manager/" CCM_AWS_VERSION;

ProfileEndpoints profile_endpoints(const Profile* profile) {
  if (profile == nullptr) return {};
  return {setting(*profile, "endpoint_url"), setting(*profile, "use_fips_endpoint") == "true",
          setting(*profile, "use_dualstack_endpoint") == "true"};
}

std::vector<std::string> permission_words(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    if (!word.empty()) all.emplace_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return all;
}

}  // namespace

Provider::Provider(Host& host, Session& session, Environment environment)
    : host_(host),
      environment_(std::move(environment)),
      imds_(host),
      credentials_(host),
      client_(host, credentials_, kUserAgent),
      instances_(host, client_, cluster_),
      zones_(host, client_),
      nodes_(host, client_, settings_, cluster_, instances_, zones_),
      balancers_(host, client_, instances_, zones_, cluster_, settings_),
      routes_(host, client_, settings_, cluster_, instances_) {
  session.client = &client_;
  session.instances = &instances_;
  session.cluster = &cluster_;
  host.config.on_change([this] { reload(); });
}

Result<Settings> Provider::read_settings() const {
  auto config = read_cloud_config(host_.config.cloud_config().value_or(""));
  if (!config.ok()) return config.status().with_context("--cloud-config");
  for (const std::string& warning : config->warnings) {
    host_.log.warning("A setting of --cloud-config needs attention", {{"reason", warning}});
  }
  return std::move(config->settings);
}

void Provider::reload() {
  if (!started_) return;  // initialize() reads it
  auto settings = read_settings();
  Status used = settings.status();
  if (used.ok() && !settings->same_access(settings_)) {
    used = invalid_configuration(
        "--cloud-config: Zone, Region, VPC, KubernetesClusterID, KubernetesClusterTag, RoleARN, "
        "SourceARN and ServiceOverride count after a restart");
  }
  if (!used.ok()) {
    host_.log.error("The new --cloud-config cannot be used; the old one stays in force",
                    {{"err", used}});
    host_.config.rejected(used.message());
    return;
  }
  settings_ = *std::move(settings);
  nodes_.configure();
  host_.config.accepted();
  host_.log.info("The new --cloud-config is in force");
}

// The shared client of the host serves when nothing differs from it.
Task<Result<Http>> Provider::open_client(Ctx ctx, HttpClientOptions options) {
  if (!options.no_proxy && options.ca_file.empty()) co_return host_.http;
  auto opened = co_await host_.http_clients.open(ctx, std::move(options));
  co_return opened;
}

void Provider::tell_unused(const std::vector<std::string>& overrides) const {
  for (const std::string& unused : overrides) {
    host_.log.warning("A ServiceOverride of --cloud-config moves nothing",
                      {{"service", unused}, {"region", cluster_.region}});
  }
}

// Addresses and keys, once the region is known.
Task<Status> Provider::reach(Ctx ctx, const Profiles& profiles) {
  HttpClientOptions direct_options;
  direct_options.name = "aws-metadata";
  direct_options.no_proxy = true;
  auto direct = co_await open_client(ctx, std::move(direct_options));
  if (!direct.ok()) co_return direct.status();
  imds_.configure(environment_, imds_override(settings_.overrides), *direct);
  auto region = co_await find_region(ctx, settings_, environment_, imds_);
  if (!region.ok()) co_return region.status();
  cluster_.region = *std::move(region);
  cluster_.partition = partition_of(cluster_.region);
  tell_unused(unused_overrides(cluster_.region, settings_.overrides));
  const Profile* profile = profiles.find(profile_name(environment_));
  auto endpoints =
      endpoints_of(cluster_.region, environment_, profile_endpoints(profile), settings_.overrides);
  if (!endpoints.ok()) co_return endpoints.status();
  HttpClientOptions options;
  options.name = "aws";
  options.ca_file = environment_.get("AWS_CA_BUNDLE");
  auto http = co_await open_client(ctx, std::move(options));
  if (!http.ok()) co_return http.status().with_context("AWS_CA_BUNDLE");
  const StsAccess sts{*http, endpoints->of(Api::sts), kUserAgent, &client_.clock()};
  auto source = find_key_source({host_, environment_, profiles, imds_, sts, *direct});
  if (!source.ok()) co_return source.status();
  if (!settings_.role_arn.empty()) {
    Role role;
    role.arn = settings_.role_arn;
    role.source_headers = true;
    role.source_arn = settings_.source_arn;
    source = KeySourcePtr(std::make_unique<AssumedRoleKeys>(host_, sts, *std::move(source), role));
  }
  credentials_.configure(*std::move(source));
  client_.configure(*std::move(endpoints), *std::move(http));
  host_.log.info("Calls to AWS are signed", {{"region", cluster_.region},
                                             {"keys", credentials_.description()},
                                             {"ec2", client_.endpoints().of(Api::ec2).url}});
  co_return Status();
}

Task<Status> Provider::initialize(Ctx ctx) {
  auto settings = read_settings();
  if (!settings.ok()) co_return settings.status();
  settings_ = *std::move(settings);
  auto profiles = co_await read_profiles(host_, ctx, environment_);
  if (!profiles.ok()) co_return profiles.status();
  Status status = co_await reach(ctx, *profiles);
  if (!status.ok()) co_return status;
  status = co_await find_cluster(ctx, settings_, imds_, instances_, cluster_);
  if (!status.ok()) co_return status;
  host_.log.info("The cluster", {{"id", cluster_.id}, {"vpc", cluster_.vpc_id}});
  status = co_await nodes_.begin(ctx);
  if (status.ok()) status = co_await try_permissions(ctx);
  started_ = status.ok();
  co_return status;
}

Task<Status> Provider::try_permissions(Ctx ctx) {
  std::vector<std::string> permissions =
      permission_words(host_.config.flag("aws-try-permissions").value_or(""));
  if (permissions.empty()) co_return Status();
  Trial trial(host_, client_, instances_, cluster_);
  Status status = co_await trial.run(ctx, std::move(permissions));
  co_return status;
}

}  // namespace ccm::aws
