// The cloud that managers run against: the services of OpenStack that CCM_OPENSTACK names, or,
// without it, the fake of their APIs behind a socket.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace ccm::openstack_contract {

using nlohmann::json;

class RunningCloud {
 public:
  virtual ~RunningCloud() = default;

  // Where Keystone is, who may log in, what is there: the file `ready` of services.py.
  [[nodiscard]] virtual const json& facts() const = 0;
  // Requests to Octavia and Neutron since the last forget(), of all clients: of a method (empty =
  // any), whose target the regular expression is found in.
  virtual int64_t requests(const std::string& method, const std::string& pattern) = 0;
  virtual void forget() = 0;

  int64_t writes() { return requests("POST", "") + requests("PUT", "") + requests("DELETE", ""); }
};

std::unique_ptr<RunningCloud> running_cloud();

}  // namespace ccm::openstack_contract
