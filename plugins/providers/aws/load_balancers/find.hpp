// The load balancer of a Service among those of the account (AWS-62, 64 to 66, 116, 117), and the
// tags that say so. [serial]
#pragma once

#include "aws/cluster.hpp"
#include "classic.hpp"
#include "elb.hpp"
#include "elbv2.hpp"
#include "options.hpp"
#include "ownership.hpp"
#include "snapshot.hpp"
#include "tag_lists.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <optional>
#include <set>
#include <string>

namespace ccm::aws {

// By annotation, else by the UID.
std::string load_balancer_name_of(const LoadBalancerService& service);

struct Found {
  std::optional<NetworkBalancer> network;
  std::optional<ClassicBalancer> classic;
  Tags tags;  // of the one that there is
  Claim claim = Claim::none;

  [[nodiscard]] bool any() const { return network || classic; }
  [[nodiscard]] std::string id() const { return network ? network->arn : classic->name; }
  [[nodiscard]] std::string name() const { return network ? network->name : classic->name; }
  [[nodiscard]] Marked marked() const { return {id(), name(), tags}; }
};

class Finder {
 public:
  Finder(Host& host, Elbv2& elbv2, Elb& elb, const Cluster& cluster);
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

  // The Service's load balancer of that kind, else of the other one; nothing when there is none.
  Task<Result<Found>> find(Ctx ctx, const LoadBalancerService& service, Kind kind);
  Task<Result<Found>> find_network(Ctx ctx, const LoadBalancerService& service);
  Task<Result<Found>> find_classic(Ctx ctx, const LoadBalancerService& service);
  // The tags of one, by its ARN, or the name of a classic one.
  Task<Result<Tags>> tags_of(Ctx ctx, Api api, std::string owner);
  // The ARNs of the Service's target groups on a shared one are added to `out`.
  Task<Status> own_target_groups(Ctx ctx, const LoadBalancerService& service, std::string arn,
                                 std::set<std::string>& out);
  // Whether a Service of this cluster may share it: each that has it permits its namespace.
  [[nodiscard]] Status may_join(const LoadBalancerService& service, const Found& found) const;

  // Tags of all load balancers in the VPC, read 20 a call and shared.
  [[nodiscard]] Snapshot<TagsByOwner>& network_tags() { return network_tags_; }
  [[nodiscard]] Snapshot<TagsByOwner>& classic_tags() { return classic_tags_; }

 private:
  // Looks for a load balancer that the tags call the Service's, under whatever name.
  Task<Result<Found>> find_by_tags(Ctx ctx, const LoadBalancerService& service);
  Task<Status> read_network_tags(Ctx ctx, TagsByOwner& out);
  Task<Status> read_classic_tags(Ctx ctx, TagsByOwner& out);

  Host& host_;
  Elbv2& elbv2_;
  Elb& elb_;
  const Cluster& cluster_;
  Snapshot<TagsByOwner> network_tags_;
  Snapshot<TagsByOwner> classic_tags_;
};

}  // namespace ccm::aws
