#include "cluster_search.hpp"

#include "api/error.hpp"
#include "config/cloud_config.hpp"

#include <ccm/trim.hpp>

#include <utility>

namespace ccm::aws {
namespace {

constexpr std::string_view kAdvice =
    "; give [Global] VPC and KubernetesClusterID in --cloud-config, or tag the instance with "
    "kubernetes.io/cluster/<id>";

// A region becomes part of addresses, an instance's id of messages.
bool is_name(std::string_view text) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !text.empty() && text.size() < 64 &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

Task<Result<Ec2Instance>> find_self(Ctx ctx, Imds& imds, Ec2Instances& instances) {
  auto text = co_await imds.get(ctx, "latest/meta-data/instance-id");
  if (!text.ok()) {
    co_return text.status().with_context("looking for the instance that this program runs on");
  }
  const std::string id(trim(*text));
  if (!is_name(id)) co_return bad_answer("of the metadata service has an instance-id that is none");
  std::vector<std::string> ids{id};
  auto found = co_await instances.by_ids(ctx, std::move(ids), std::chrono::milliseconds(0));
  if (!found.ok()) co_return found.status();
  const auto self = found->find(id);
  if (self != found->end()) co_return self->second;
  co_return Status(Code::unavailable, ErrorClass::unavailable,
                   "EC2 does not know the instance " + id + " that this program runs on");
}

}  // namespace

Task<Result<std::string>> find_region(Ctx ctx, const Settings& settings,
                                      const Environment& environment, Imds& imds) {
  for (std::string region :
       {region_of_zone(settings.zone), settings.region, environment.get("AWS_REGION"),
        environment.get("AWS_DEFAULT_REGION")}) {
    if (!region.empty()) co_return region;
  }
  auto region = co_await imds.get(ctx, "latest/meta-data/placement/region");
  if (region.ok() && is_name(trim(*region))) co_return std::string(trim(*region));
  co_return invalid_configuration(
      "no region: neither [Global] Region nor Zone in --cloud-config nor AWS_REGION is set, and " +
      (region.ok() ? std::string("the instance metadata service says none")
                   : region.status().message()));
}

Status take_cluster_id(const Ec2Instance& self, Cluster& cluster) {
  std::string id;
  for (const auto& [key, value] : self.tags) {
    const bool legacy = key == kLegacyClusterTag;
    if (!legacy && !key.starts_with(kClusterTagPrefix)) continue;
    const std::string named = legacy ? value : key.substr(kClusterTagPrefix.size());
    if (named.empty()) continue;
    if (!id.empty() && id != named) {
      return invalid_configuration("Found multiple cluster tags with prefix " +
                                   std::string(kClusterTagPrefix) + " on instance " + self.id +
                                   ": " + id + " and " + named + std::string(kAdvice));
    }
    id = named;
    cluster.legacy_tag = cluster.legacy_tag || legacy;
  }
  if (id.empty()) {
    return invalid_configuration("AWS cloud failed to find ClusterID: instance " + self.id +
                                 " has no tag of a cluster" + std::string(kAdvice));
  }
  cluster.id = std::move(id);
  return {};
}

Task<Status> find_cluster(Ctx ctx, const Settings& settings, Imds& imds, Ec2Instances& instances,
                          Cluster& cluster) {
  cluster.id = settings.cluster_id;
  cluster.legacy_tag = settings.legacy_tag;
  cluster.vpc_id = settings.vpc;
  if (!cluster.id.empty() && !cluster.vpc_id.empty()) co_return Status();
  auto self = co_await find_self(ctx, imds, instances);
  if (!self.ok()) co_return self.status().with_context("no [Global] VPC and KubernetesClusterID");
  if (cluster.vpc_id.empty()) cluster.vpc_id = self->vpc_id;
  if (cluster.vpc_id.empty()) {
    co_return invalid_configuration("instance " + self->id + " is in no VPC" +
                                    std::string(kAdvice));
  }
  if (!cluster.id.empty()) co_return Status();
  co_return take_cluster_id(*self, cluster);
}

}  // namespace ccm::aws
