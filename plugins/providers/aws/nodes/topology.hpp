// Where instances are in AWS's network: labels topology.k8s.aws/network-node-layer-1 to -3, from
// the top (AWS-51). Only types for large computations have it; what has none is remembered, so that
// a cluster without such types costs one call. [serial]
#pragma once

#include "aws/api/client.hpp"
#include "ec2_instance.hpp"

#include <ccm/host.hpp>
#include <ccm/pattern.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

struct TypedInstance {
  std::string id;
  std::string type;
};

class Topology {
 public:
  Topology(Host& host, Client& client) : host_(host), client_(client) {}
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  // Types that must have it; empty = those of AWS-22. The pattern has been checked.
  void configure(const std::string& pattern);

  // It runs, and AWS may say more of where it is than is known.
  [[nodiscard]] bool lacks(const Ec2Instance& instance) const {
    return instance.state == "running" && unknown(instance.id, instance.type);
  }
  // Asks for what is not known of these, 100 a call. One of each type that nothing is known of goes
  // first. Failures end it and are logged.
  Task<Status> learn(Ctx ctx, std::vector<TypedInstance> instances);

  // The layers from the top; empty when there are none, or none are known.
  [[nodiscard]] std::vector<std::string> layers_of(const Ec2Instance& instance) const;
  // It must have layers that are not known yet, because AWS did not say: its Node waits for up to a
  // minute (AWS-157).
  [[nodiscard]] bool must_wait(const Ec2Instance& instance);

 private:
  using Ids = std::vector<std::string>;
  [[nodiscard]] bool unknown(const std::string& id, const std::string& type) const;
  Task<Status> ask(Ctx ctx, Ids ids);
  void give_up(const TypedInstance& instance);
  Task<Status> ask_for(Ctx ctx, const std::vector<const TypedInstance*>& asked);

  Host& host_;
  Client& client_;
  Pattern required_ = *Pattern::regular_expression("");
  std::map<std::string, std::vector<std::string>, std::less<>> layers_;       // by instance
  std::map<std::string, std::chrono::milliseconds, std::less<>> none_until_;  // by type or instance
  std::map<std::string, std::chrono::milliseconds, std::less<>> waiting_since_;  // by instance
  std::set<std::string, std::less<>> types_with_;
  std::chrono::milliseconds silent_until_{0};  // the region has no such thing, or we may not ask
};

}  // namespace ccm::aws
