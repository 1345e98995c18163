// Reading and changing load balancers, and the floating IPs of their addresses. [serial]
#pragma once

#include "existing.hpp"
#include "openstack/api.hpp"
#include "writes.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ccm::openstack {

struct FloatingIp {
  std::string id;
  std::string address;
  std::string description;
};

class Octavia {
 public:
  explicit Octavia(Api& api) : api_(api) {}

  // Without its children. Nothing when Octavia says that it does not exist.
  Task<Result<std::optional<ExistingLoadBalancer>>> find(Ctx ctx, std::string id);
  // Those with the tag.
  Task<Result<std::vector<ExistingLoadBalancer>>> with_tag(Ctx ctx, std::string tag);
  // Adds listeners, pools, members and monitors.
  Task<Status> read_children(Ctx ctx, ExistingLoadBalancer& balancer);
  Task<Result<ExistingLoadBalancer>> create(Ctx ctx, LoadBalancerWrite write);
  // Success also when what is deleted is gone already.
  Task<Status> send(Ctx ctx, LoadBalancerWrite write);

  // The subnet on which the server has the address; empty = none.
  Task<Result<std::string>> subnet_of(Ctx ctx, std::string server_id, std::string address);
  // The first network that leads outside; empty = none.
  Task<Result<std::string>> external_network(Ctx ctx);
  Task<Result<std::optional<FloatingIp>>> floating_ip(Ctx ctx, std::string port_id);
  Task<Result<FloatingIp>> create_floating_ip(Ctx ctx, std::string port_id, std::string network_id,
                                              std::string subnet_id, std::string description);
  Task<Status> delete_floating_ip(Ctx ctx, std::string id);

 private:
  Task<Result<std::string>> get(Ctx ctx, const char* service, std::string path,
                                const char* operation);

  Api& api_;
};

}  // namespace ccm::openstack
