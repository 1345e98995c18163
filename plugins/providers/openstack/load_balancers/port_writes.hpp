// One port of the Service against its listener and pool. Any thread.
#pragma once

#include "writes.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ccm::openstack {

// Whether the pool, which no listener has, is to take the place of one whose protocol is wrong: a
// pool's protocol cannot be changed (OS-270), and a second one beside it leaves no gap (OS-271).
bool is_replacement(const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing,
                    const ExistingPool& pool);

class PortWrites {
 public:
  // Adds to `out`.
  PortWrites(const WantedLoadBalancer& wanted, std::size_t index,
             const ExistingLoadBalancer& existing, LoadBalancerWrites& out);

  void all();
  void members_alone();

 private:
  void listener_fields(const ExistingListener& listener);
  void replacement(const ExistingListener& listener);
  void content(const ExistingPool& pool);
  void parts_of(const ExistingPool& pool);
  void pool_fields(const ExistingPool& pool);
  // Whether its members stay as they are, since no Node can take their place.
  [[nodiscard]] bool keeps(const ExistingPool& pool) const;
  void members(const ExistingPool& pool);
  [[nodiscard]] bool same_members(const ExistingPool& pool) const;
  void single_members(const ExistingPool& pool);
  [[nodiscard]] std::string members_that_go(const ExistingPool& pool) const;
  void monitor_fields(const ExistingPool& pool);
  [[nodiscard]] const ExistingListener* listener() const;
  void add(const std::string& what, const char* method, const std::string& path,
           const char* operation, const nlohmann::json& body);

  const WantedLoadBalancer& balancer_;
  const WantedPort& port_;
  const std::size_t index_;
  const ExistingLoadBalancer& existing_;
  LoadBalancerWrites& out_;
};

}  // namespace ccm::openstack
