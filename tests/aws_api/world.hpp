// All of the APIs as one fake: instances, routes and tags of cloud.hpp, load balancers and security
// groups of load_balancing.hpp, which see the same instances, subnets and route tables. One thread.
#pragma once

#include "cloud.hpp"
#include "load_balancing.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace ccm::aws_api {

// Ids by name.
using Names = std::map<std::string, std::string>;

class World {
 public:
  explicit World(std::function<std::chrono::milliseconds()> now);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // The answer to the body of a POST.
  Answer handle(std::string_view body);

  // What services.py of tests/aws makes: a VPC with two zones, public and private subnets, a group
  // of the Nodes, a route table of the cluster c1, certificates and the instances n1 to n4.
  Names populate();
  // An instance of the cluster in that subnet.
  Machine& add_node(int number, const std::string& subnet);

  Cloud cloud;
  LoadBalancing balancing;
  // How long a Network Load Balancer stays in the state "provisioning", when that is the state of
  // new ones.
  std::chrono::milliseconds provisioning_time{0};
  std::chrono::milliseconds latency{0};  // of each answer of server.hpp

 private:
  void share_instances();
  void provision();
  void add_subnet(Names& names, const std::string& name, const std::string& zone, int number,
                  bool is_public);

  std::function<std::chrono::milliseconds()> now_;
  std::map<std::string, std::chrono::milliseconds> provisioning_since_;  // by ARN
  int subnets_ = 0;
};

}  // namespace ccm::aws_api
