// What Neutron keeps: objects with their revisions, and quotas.
#pragma once

#include "openstack_api/network/attributes.hpp"
#include "openstack_api/records.hpp"
#include "openstack_api/world.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace ccm::openstack_api {

class NetworkStore {
 public:
  explicit NetworkStore(World& world);

  [[nodiscard]] World& world() const { return world_; }
  // By the name of the collection: "ports".
  Records& of(const std::string& collection) { return records_.at(collection); }
  [[nodiscard]] const Records& of(const std::string& collection) const {
    return records_.at(collection);
  }

  // An object of that project with its defaults, IDs and times, which is not kept yet. Throws
  // Refusal when the quota is used up.
  [[nodiscard]] json begin(const Resource& resource, const std::string& project_id,
                           json members) const;
  // After a change.
  void touch(json& record) const;

  void set_quota(const std::string& project_id, const std::string& resource, int64_t limit);
  // The project has the usual limits again; false when it had no others.
  bool reset_quotas(const std::string& project_id);
  // The limits of a project by resource.
  [[nodiscard]] json quotas(const std::string& project_id) const;
  [[nodiscard]] int64_t used(const std::string& project_id, const std::string& resource) const;

 private:
  [[nodiscard]] int64_t quota(const std::string& project_id, const std::string& resource) const;
  void check_quota(const std::string& project_id, const std::string& resource) const;

  World& world_;
  std::map<std::string, Records> records_;
  std::map<std::string, std::map<std::string, int64_t>> quotas_;  // project -> resource -> limit
};

}  // namespace ccm::openstack_api
