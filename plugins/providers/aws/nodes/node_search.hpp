// Which instance a Node without provider ID is: the rules of AWS-40, and those of AWS-42 for Nodes
// that the Go manager leaves tainted. [serial]
#pragma once

#include "aws/cluster.hpp"
#include "claims.hpp"
#include "ec2_instances.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

// How an instance was found. Rules are tried in this order, each for all Nodes that are left.
enum class FoundBy {
  instance_id,        // the Node is called by its id: "i-0123456789abcdef0", or that and a domain
  private_dns_name,   // the Node is called as the instance
  private_host_name,  // the same without a domain: "ip-10-0-0-1"
  internal_ip,        // an InternalIP of the Node, within the VPC
  name_tag,           // the tag Name
};
[[nodiscard]] const char* name_of(FoundBy rule);

struct FoundInstance {
  Ec2Instance instance;
  FoundBy rule = FoundBy::instance_id;
};
struct FoundInstances {
  std::map<std::string, FoundInstance> by_name;  // of the Node
  // Names of Nodes of which nobody can say which instance they are, or that they have none: another
  // Node has it, or several fit.
  std::set<std::string> unclear;
};

class NodeSearch {
 public:
  NodeSearch(Host& host, Ec2Instances& instances, const Cluster& cluster)
      : host_(host), instances_(instances), cluster_(cluster), claims_(host) {}
  NodeSearch(const NodeSearch&) = delete;
  NodeSearch& operator=(const NodeSearch&) = delete;

  // A rule finds a Node's instance only when exactly one instance with the cluster's tag fits; by
  // its id it needs no tag (AWS-43). Several fit: the next rule is tried. An instance is one
  // Node's: of several whose names lead to it the one that is called as the instance gets it, else
  // the one that has it, else the shortest name. A Node that is not in the answer has none. An
  // Event says which of the further rules found an instance, that none did, or who has it. Calls:
  // one for each rule and 200 Nodes. Failures: those of Ec2Instances::matching.
  Task<Result<FoundInstances>> find(Ctx ctx, std::vector<NodeIdentity> nodes);

 private:
  // Values of a filter for a Node, and what an instance has to show for them.
  struct Rule {
    FoundBy by;
    std::string filter;
    std::function<std::vector<std::string>(const NodeIdentity&)> values;
    std::function<bool(const Ec2Instance&, const std::string& value)> fits;
  };
  static std::vector<Rule> rules();

  Task<Status> apply(Ctx ctx, const Rule& rule, const std::vector<NodeIdentity>& nodes,
                     FoundInstances& found);
  void take(const Rule& rule, const NodeIdentity& node, const InstanceMap& instances,
            FoundInstances& found) const;
  // By the names of those who lose it: who has it.
  std::map<std::string, std::string> settle(FoundInstances& found);
  void tell(const std::vector<NodeIdentity>& nodes, const FoundInstances& found,
            const std::map<std::string, std::string>& lost) const;

  Host& host_;
  Ec2Instances& instances_;
  const Cluster& cluster_;
  Claims claims_;
};

}  // namespace ccm::aws
