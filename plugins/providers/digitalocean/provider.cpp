#include "provider.hpp"

#include "answer.hpp"
#include "droplet.hpp"
#include "json_answer.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>
#include <utility>

namespace ccm::digitalocean {
namespace {

constexpr std::chrono::milliseconds kClusterTimeout{5'000};

// Whether a page of the regions has that slug.
struct RegionSearch {
  std::string slug;
  bool found = false;

  Result<PageInfo> read(const std::string& body) {
    return read_answer(body, [this](const nlohmann::json& page) -> Result<PageInfo> {
      if (!page.contains("regions") || !page.at("regions").is_array() || !page.contains("meta") ||
          !page.at("meta").is_object()) {
        return bad_answer("has no list \"regions\"");
      }
      const auto& regions = page.at("regions");
      for (const auto& region : regions) {
        found = found || (region.is_object() && region.contains("slug") && region["slug"] == slug);
      }
      return PageInfo{static_cast<int64_t>(regions.size()),
                      page.at("meta").value("total", int64_t{0})};
    });
  }
};

}  // namespace

Provider::Provider(Host& host)
    : host_(host),
      api_(host),
      droplets_(api_),
      load_balancers_(host, api_, droplets_),
      owned_(host, api_) {}

Task<Status> Provider::initialize(Ctx ctx) {
  auto settings = read_settings(host_.config);
  if (!settings.ok()) co_return settings.status();
  auto token = read_token(host_.config);
  if (!token.ok()) co_return token.status();
  tell_unmanaged_ports(*settings);
  tell_unused_addresses();
  Status status = co_await learn_cluster(ctx, *settings);
  api_.configure(*std::move(settings));
  status = co_await check_credential(ctx);
  if (!status.ok()) co_return status;
  status = co_await check_region(ctx);
  if (!status.ok()) co_return status;
  status = co_await check_vpc(ctx);
  co_return status;
}

// DigitalOcean's own manager keeps the firewall whatever --controllers says (DO-30).
void Provider::tell_unmanaged_ports(const Settings& settings) const {
  const std::string_view controllers = host_.config.flag("controllers").value_or("*");
  if (settings.firewall_name.empty() || runs_controller(controllers, "digitalocean-firewall")) {
    return;
  }
  host_.log.warning(
      "PUBLIC_ACCESS_FIREWALL_NAME is set, but --controllers leaves digitalocean-firewall out: "
      "nobody opens the ports of Services in this firewall",
      {{"firewall", settings.firewall_name}, {"controllers", controllers}});
}

// DigitalOcean's own manager serves plain HTTP there (DO-18, DO-19). An operator whose scrapes end
// must learn the new address.
void Provider::tell_unused_addresses() const {
  for (const char* variable : {"METRICS_ADDR", "DEBUG_ADDR"}) {
    const char* address = std::getenv(variable);
    if (address == nullptr || *address == '\0') continue;
    host_.log.warning("A variable has no effect: metrics and health are served on --secure-port",
                      {{"variable", variable}, {"address", address}});
  }
}

// Without DO_CLUSTER_ID the UID of the namespace kube-system identifies the cluster, as in other
// managers. It is optional, so its failure is ignored.
Task<Status> Provider::learn_cluster(Ctx ctx, Settings& settings) {
  if (!settings.cluster_id.empty()) co_return Status();
  KubeReference reference;
  reference.resource = "v1/namespaces";
  reference.name = "kube-system";
  const auto found =
      co_await host_.kube.get(ctx.with_timeout(kClusterTimeout), std::move(reference));
  if (found.ok()) {
    settings.cluster_uid = found->uid();
    co_return Status();
  }
  if (found.status().code() == Code::permission_denied) {
    host_.log.info(
        "The UID of the namespace kube-system cannot be read, so marks of load balancers name the "
        "Service, but no cluster: set DO_CLUSTER_ID, or grant \"get\" on this namespace");
  } else {
    host_.log.warning(
        "The UID of the namespace kube-system cannot be read, so marks of load balancers name the "
        "Service, but no cluster: set DO_CLUSTER_ID, or start the manager again",
        {{"err", found.status()}});
  }
  co_return Status();
}

// Not /v2/account: that would need a scope which nothing else needs (DO-309).
Task<Status> Provider::check_credential(Ctx ctx) {
  Call question;
  question.path = "/v2/droplets?page=1&per_page=1";
  question.operation = "CheckCredential";
  auto answer = co_await api_.call(ctx, std::move(question));
  co_return answer.status();
}

// A given region is checked against the cloud's list (DO-10, DO-11). Without one the metadata
// service is asked; if that does not answer, as outside of a droplet, load balancers take the
// region of their droplets (DO-57, DO-387).
Task<Status> Provider::check_region(Ctx ctx) {
  const std::string& given = api_.settings().region;
  if (given.empty()) {
    auto region = co_await api_.metadata(ctx, "/metadata/v1/region");
    if (region.ok()) {
      std::string slug = *std::move(region);
      while (!slug.empty() && static_cast<unsigned char>(slug.back()) <= ' ') slug.pop_back();
      host_.log.info("Region of the metadata service", {{"region", slug}});
      load_balancers_.set_region(std::move(slug));
    } else {
      host_.log.info(
          "No region: REGION is not set and the metadata service does not answer; load balancers "
          "take the region of their droplets",
          {{"err", region.status()}});
    }
    co_return Status();
  }
  RegionSearch search{given};
  PageReader reader = [&search](int64_t, const std::string& body) { return search.read(body); };
  Status listed = co_await api_.list(ctx, "/v2/regions", "ListRegions", reader);
  if (!listed.ok()) {
    co_return listed.with_context("failed to determine region: regions list request failed");
  }
  if (!search.found) {
    co_return invalid_configuration(
        "failed to determine region: invalid region specified: " + given +
        " (--digitalocean-region, environment variable REGION)");
  }
  load_balancers_.set_region(given);
  co_return Status();
}

// Tokens made for the Go manager may lack vpc:read (DO-309); then the first load balancer shows it.
Task<Status> Provider::check_vpc(Ctx ctx) {
  const std::string& vpc = api_.settings().vpc_id;
  if (vpc.empty()) co_return Status();
  Call question;
  question.path = "/v2/vpcs/" + vpc;
  question.operation = "GetVpc";
  auto answer = co_await api_.call(ctx, std::move(question));
  const Status status = answer.status();
  if (status.error_class() == ErrorClass::not_found) {
    co_return invalid_configuration(
        "the account has no VPC " + vpc +
        " (--digitalocean-cluster-vpc-id, environment variable DO_CLUSTER_VPC_ID)");
  }
  if (status.code() == Code::permission_denied) {
    host_.log.info("The token may not read VPCs, so DO_CLUSTER_VPC_ID was not checked");
    co_return Status();
  }
  co_return status;
}

Task<Result<InstanceList>> Provider::list(Ctx ctx) {
  auto droplets = co_await droplets_.list_all(ctx);
  co_return droplets;
}

Task<Result<Instance>> Provider::get(Ctx ctx, NodeIdentity node) {
  if (node.provider_id.empty()) {
    auto found = co_await droplets_.find(ctx, node.name);
    co_return found;
  }
  const auto id = droplet_id(node.provider_id);
  if (!id.ok()) co_return id.status().with_context("determining droplet ID from providerID");
  auto droplet = co_await droplets_.get(ctx, *id);
  co_return droplet;
}

// On each attempt, as DigitalOcean's own manager does; the controller's own Event follows.
void Provider::tell_config_error(const Object& service, const Status& status) const {
  if (status.reason() != kConfigError) return;
  host_.events.warning(service, kConfigError, status.message());
}

Task<Result<LoadBalancer>> Provider::observe_load_balancer(Ctx ctx, LoadBalancerService service,
                                                           Backends backends) {
  const Object object = service.object;
  auto observed =
      co_await load_balancers_.observe(std::move(ctx), std::move(service), std::move(backends));
  tell_config_error(object, observed.status());
  co_return observed;
}

Task<Result<LoadBalancer>> Provider::ensure_load_balancer(Ctx ctx, LoadBalancerService service,
                                                          Backends backends) {
  const Object object = service.object;
  auto ensured =
      co_await load_balancers_.ensure(std::move(ctx), std::move(service), std::move(backends));
  tell_config_error(object, ensured.status());
  co_return ensured;
}

Task<Result<LoadBalancer>> Provider::update_load_balancer(Ctx ctx, LoadBalancerService service,
                                                          Backends backends) {
  const Object object = service.object;
  auto updated =
      co_await load_balancers_.update(std::move(ctx), std::move(service), std::move(backends));
  tell_config_error(object, updated.status());
  co_return updated;
}

Task<Status> Provider::delete_load_balancer(Ctx ctx, LoadBalancerService service) {
  return load_balancers_.remove(std::move(ctx), std::move(service));
}

Result<std::string> Provider::load_balancer_name(Ctx, LoadBalancerService service) {
  return load_balancers_.name(service);
}

// The account's limit of load balancers is not in the API.
Result<LoadBalancerLimits> Provider::load_balancer_limits(Ctx) {
  LoadBalancerLimits limits;
  limits.id_annotation = annotation::kLoadBalancerId;
  return limits;
}

}  // namespace ccm::digitalocean
