// Security groups and their rules.
#pragma once

#include "openstack_api/network/store.hpp"

#include <string>

namespace ccm::openstack_api {

class SecurityGroups {
 public:
  explicit SecurityGroups(NetworkStore& store) : store_(store) {}

  // Each completes an object, or throws Refusal and changes nothing.
  void make(json& group);
  void make_rule(json& rule);
  // The ID of the project's group "default".
  std::string default_group(const std::string& project_id);
  void check(const json& groups) const;
  // Before the group is removed. Refusal: a port has it.
  void remove_rules(const std::string& group_id);

 private:
  NetworkStore& store_;
};

}  // namespace ccm::openstack_api
