// What Octavia keeps: load balancers with their parts, and quotas.
#pragma once

#include "openstack_api/records.hpp"
#include "openstack_api/world.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ccm::openstack_api {

class LoadBalancerStore {
 public:
  explicit LoadBalancerStore(World& world);

  [[nodiscard]] World& world() const { return world_; }
  // "loadbalancers", "listeners", "pools", "members", "healthmonitors".
  Records& of(const std::string& collection) { return records_.at(collection); }
  [[nodiscard]] const Records& of(const std::string& collection) const {
    return records_.at(collection);
  }
  // Refusal: it is not there, or not the caller's.
  json& found(const std::string& collection, const char* title, const std::string& id,
              const Call& call);
  json& load_balancer_of(const json& child);
  [[nodiscard]] const json* monitor_of(const std::string& pool_id) const;
  [[nodiscard]] json ids(const std::string& collection, const std::string& parent_id) const;
  [[nodiscard]] json listeners_of(const json& pool) const;
  struct Part {
    std::string collection;
    json* record;
  };
  // Its listeners, members, monitors and pools: a pool comes after what belongs to it.
  std::vector<Part> parts_of(const std::string& lb_id);

  // The beginning of a part of that load balancer.
  [[nodiscard]] json record_of(const json& lb, const std::string& operating_status) const;
  // Null stands for the default.
  void apply(json& record, const json& changes, const json& defaults) const;
  void remove_pool(const std::string& id);

  void set_quota(const std::string& project_id, const std::string& resource, int64_t limit);
  void reset_quotas(const std::string& project_id) { quotas_.erase(project_id); }
  // The limits of a project by resource.
  [[nodiscard]] json quotas(const std::string& project_id) const;
  // Refusal: that many more are too many.
  void check_quota(const std::string& project_id, const char* resource, size_t more) const;

 private:
  World& world_;
  std::map<std::string, Records> records_;
  std::map<std::string, std::map<std::string, int64_t>> quotas_;  // project -> resource -> limit
};

// The refusal of a call that the caller's roles do not allow.
[[noreturn]] void forbid();

}  // namespace ccm::openstack_api
