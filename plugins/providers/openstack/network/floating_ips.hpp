// Floating IPs, and the networks and subnets that they and load balancers are on (OS-241..OS-245,
// OS-283..OS-291, OS-362..OS-368). [serial]
#pragma once

#include "openstack/api.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

struct FloatingIp {
  std::string id;
  std::string address;
  std::string description;
  std::string port_id;  // empty = nobody uses it
};

struct Subnet {
  std::string id;
  std::string name;
  std::string network_id;
  std::string cidr;
  int64_t ip_version = 0;
};

struct ExternalNetwork {
  std::string id;
  std::vector<std::string> subnets;
};

// Failure: bad_answer().
Result<FloatingIp> parse_floating_ip(std::string_view json_text);
Result<std::vector<FloatingIp>> parse_floating_ips(std::string_view json_text);
Result<Subnet> parse_subnet(std::string_view json_text);
Result<std::vector<Subnet>> parse_subnets(std::string_view json_text);
Result<std::vector<ExternalNetwork>> parse_external_networks(std::string_view json_text);

struct NewFloatingIp {
  std::string network_id;
  std::string port_id;
  std::string subnet_id;  // empty = any
  std::string address;    // empty = any
  std::string description;
};

class FloatingIps {
 public:
  explicit FloatingIps(Api& api) : api_(api) {}

  // The floating IP of a port; the one with an address. Nothing also where Neutron has no routers,
  // and so no floating IPs.
  Task<Result<std::optional<FloatingIp>>> of_port(Ctx ctx, std::string port_id);
  Task<Result<std::optional<FloatingIp>>> of_address(Ctx ctx, std::string address);
  // Whether Neutron has floating IPs at all.
  Task<Result<bool>> offered(Ctx ctx);
  Task<Result<FloatingIp>> create(Ctx ctx, NewFloatingIp wanted);
  // An empty port: nobody's.
  Task<Status> attach(Ctx ctx, std::string id, std::string port_id);
  // Success also when it is gone already.
  Task<Status> remove(Ctx ctx, std::string id);

  // The first network that leads outside and has a subnet of IPv4, or one that cannot be seen;
  // empty = none.
  Task<Result<std::string>> external_network(Ctx ctx);
  // Whether that network leads outside; not, where it is not seen.
  Task<Result<bool>> is_external(Ctx ctx, std::string id);
  // The subnets of a network; `query`: further parts of the request's.
  Task<Result<std::vector<Subnet>>> subnets(Ctx ctx, std::string network_id, std::string query);
  // Failure: not_found.
  Task<Result<Subnet>> subnet(Ctx ctx, std::string id);
  // The subnet on which the server has the address; empty = none.
  Task<Result<std::string>> subnet_of(Ctx ctx, std::string server_id, std::string address);

 private:
  Task<Result<std::string>> get(Ctx ctx, std::string path, const char* operation);
  Task<Result<std::string>> write(Ctx ctx, const char* method, std::string path,
                                  const char* operation, const nlohmann::json& body);
  // The first one that has `value` in that member.
  Task<Result<std::optional<FloatingIp>>> first(Ctx ctx, const char* name,
                                                std::string FloatingIp::*member, std::string value);
  Api& api_;
};

}  // namespace ccm::openstack
