// What AWS finishes later: load balancers that it provisions, and instances that cannot be targets
// before they run. One question a round for all of them. [serial]
#pragma once

#include "aws/nodes/ec2_instances.hpp"
#include "elbv2.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ccm::aws {

class Watch {
 public:
  Watch(Host& host, Elbv2& elbv2, Ec2Instances& instances)
      : host_(host), elbv2_(elbv2), instances_(instances) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Its Service is told by an Event when it serves, or failed (AWS-161).
  void until_active(const LoadBalancerService& service, const NetworkBalancer& balancer);
  // The Service is looked at again when one of them runs.
  void until_running(const LoadBalancerService& service, const std::set<std::string>& instances);
  void forget(const LoadBalancerService& service);

 private:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  struct Provisioning {
    Object service;
    Key key;
  };

  void start();
  Task<Status> run();
  Task<Status> look_at_balancers(Ctx ctx);
  Task<Status> look_at_instances(Ctx ctx);

  Host& host_;
  Elbv2& elbv2_;
  Ec2Instances& instances_;
  std::map<std::string, Provisioning> provisioning_;        // by name
  std::map<std::string, std::set<Key>, std::less<>> idle_;  // by instance
  bool running_ = false;
};

}  // namespace ccm::aws
