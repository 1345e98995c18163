// What a manager made for load balancers, by the rules of ccm/abi/owned.h: load balancers, target
// groups and security groups. Services are not asked: tags, names and descriptions say all.
// [serial]
#pragma once

#include "aws/cluster.hpp"
#include "elb.hpp"
#include "elbv2.hpp"
#include "find.hpp"
#include "groups.hpp"
#include "removal.hpp"

#include <ccm/owned.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <vector>

namespace ccm::aws {

class OwnedParts {
 public:
  OwnedParts(Elbv2& elbv2, Elb& elb, Groups& groups, Finder& finder, Removal& removal,
             const Cluster& cluster)
      : elbv2_(elbv2),
        elb_(elb),
        groups_(groups),
        finder_(finder),
        removal_(removal),
        cluster_(cluster) {}

  // Failures: those of the listings.
  Task<Result<std::vector<OwnedObject>>> list(Ctx ctx, ClusterNames cluster);
  // Also success when it is gone. CCM_REASON_NOT_OWNED: it is not this cluster's alone.
  Task<Status> remove(Ctx ctx, ClusterNames cluster, OwnedObject object);

 private:
  [[nodiscard]] std::vector<std::string> names_of(const ClusterNames& cluster) const;
  Task<Status> list_balancers(Ctx ctx, std::vector<std::string> names,
                              std::vector<OwnedObject>& out);
  Task<Status> list_target_groups(Ctx ctx, std::vector<std::string> names,
                                  std::vector<OwnedObject>& out);
  Task<Status> remove_balancer(Ctx ctx, OwnedObject object);
  Task<Status> is_gone(Ctx ctx, OwnedObject object);

  Elbv2& elbv2_;
  Elb& elb_;
  Groups& groups_;
  Finder& finder_;
  Removal& removal_;
  const Cluster& cluster_;
};

}  // namespace ccm::aws
