// Which instances take a Service's traffic (AWS-71 to AWS-73). Any thread.
#pragma once

#include "aws/cluster.hpp"
#include "aws/nodes/ec2_instances.hpp"
#include "options.hpp"

#include <ccm/load_balancer.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

struct Targets {
  std::vector<std::string> running;  // ids, sorted: they may be registered
  // Stopped, or on their way: AWS refuses to register them, but those that are registered stay.
  std::set<std::string> others;
  std::set<std::string> zones;                   // of all of them
  std::vector<std::vector<std::string>> groups;  // security groups of each, without repetition
  std::string no_members;  // why none of the given Nodes is a target; empty = some are

  // Whether a target that is registered stays.
  [[nodiscard]] bool keeps(const std::string& id) const;
};

// The last part of a provider ID, when it is an instance's id; else empty (AWS-39).
std::string_view instance_id(std::string_view provider_id);

// Whether the Node has all the labels.
bool has_labels(const Backend& backend, const KeyValues& labels);

// The ids to ask about: of the backends that the labels choose.
std::vector<std::string> wanted_instances(const Backends& backends, const KeyValues& labels);

// `instances`: as AWS shows them; one that is not this cluster's, or in another VPC, is left out.
Targets targets_of(const Backends& backends, const KeyValues& labels, const InstanceMap& instances,
                   const Cluster& cluster);

}  // namespace ccm::aws
