// The cluster's Nodes in EC2: one listing for all of them, look-ups for those that it lacks.
// [serial]
#pragma once

#include "aws/api/client.hpp"
#include "aws/cluster.hpp"
#include "aws/config/settings.hpp"
#include "ec2_instances.hpp"
#include "fargate.hpp"
#include "node_search.hpp"
#include "topology.hpp"
#include "zones.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

class Nodes {
 public:
  Nodes(Host& host, Client& client, const Settings& settings, const Cluster& cluster,
        Ec2Instances& instances, Zones& zones);
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  // After the settings were read: asks AWS for the zones, which shows whether it takes the keys.
  Task<Status> begin(Ctx ctx);
  // After they were read again.
  void configure() { topology_.configure(settings_.topology_instance_types); }

  // Every instance of the VPC, with labels. One whose labels must be there and are not yet is
  // `starting`, for a minute at most (AWS-157). Failures: those of Client::pages.
  Task<Result<InstanceList>> list(Ctx ctx);
  // Each by its provider ID, whatever its VPC and tags (AWS-43), else by the rules of NodeSearch.
  // absent: EC2 answered without it. unknown, so that nothing is deleted for it: a provider ID that
  // names no instance (AWS-54), a Node of NodeSearch's unclear ones, and Fargate's while EC2 does
  // not tell them. Failures: those of Client::pages.
  Task<Result<std::vector<Instance>>> describe(Ctx ctx, std::vector<NodeIdentity> nodes);

  static InstanceLimits limits();

 private:
  struct Asked;
  using FargateTasks = Result<std::map<std::string, Instance>>;  // by address
  Task<Result<InstanceMap>> by_ids(Ctx ctx, const Asked& asked);
  // What AWS has to be asked for the labels of instances.
  struct Unlabelled {
    std::vector<TypedInstance> instances;
    std::set<std::string> zones;
  };
  void note(const Ec2Instance& instance, Unlabelled& all) const;
  Task<Status> learn_labels(Ctx ctx, Unlabelled all);
  [[nodiscard]] Instance view(const Ec2Instance& instance);
  [[nodiscard]] Instance answer(const NodeIdentity& node, const InstanceMap& instances,
                                const FargateTasks& fargate, const FoundInstances& named);

  Host& host_;
  const Settings& settings_;
  const Cluster& cluster_;
  Ec2Instances& instances_;
  Zones& zones_;
  Topology topology_;
  Fargate fargate_;
  NodeSearch search_;
  // Nodes are called by the ids of their instances, so listings name them so, too.
  bool named_by_id_ = false;
  std::map<std::string, std::chrono::milliseconds> zone_wanted_since_;
};

}  // namespace ccm::aws
