// Services that change by chance, for the suite that kills the manager and for the soak: their
// state as it is wanted, and what of it the cloud does not have.
#pragma once

#include "openstack_api/cloud.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

namespace ccm::openstack_api {

using Port = std::pair<std::string, int>;  // "TCP", 80

struct WantedService {
  std::set<Port> ports;
  bool internal = false;
  bool restricted = false;  // to some source ranges
  bool sticky = false;      // a client stays with a Node
  int connections = -1;     // the annotation connection-limit; -1 = none
  std::string shared_id;    // the annotation load-balancer-id when it was made

  [[nodiscard]] json object(const std::string& name) const;
  // The patch of an existing one.
  [[nodiscard]] json patch() const;
  void change(std::mt19937& random);
};

// The Service of that number: plain, with several ports, internal, or of source ranges.
WantedService service_of(int number);

// The IDs of all objects of the project before the manager was there, with their contents, as far
// as no manager may change them.
class Foreign {
 public:
  explicit Foreign(Cloud& cloud);
  [[nodiscard]] bool has(const std::string& id) const { return objects_.contains(id); }
  // "" or the first one that is gone or different.
  [[nodiscard]] std::string fault(Cloud& cloud) const;

 private:
  struct Object {
    std::string collection;
    json record;
    json groups;  // of a port
  };
  std::map<std::string, Object> objects_;  // by ID
};

// The first thing that is missing, wrong, doubled or orphaned; "" = all is right. `services`: the
// API server's, of type LoadBalancer; `nodes`: how many take traffic; `groups`: whether security
// groups are managed. Health monitors are wanted.
std::string cloud_fault(Cloud& cloud, const Foreign& foreign,
                        const std::map<std::string, WantedService>& wanted,
                        const std::map<std::string, json>& services, std::size_t nodes,
                        bool groups = true);

}  // namespace ccm::openstack_api
