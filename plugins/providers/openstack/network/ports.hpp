// Neutron's ports: the addresses of servers, and of the trunks' subports (OS-160, OS-364). [serial]
#pragma once

#include "openstack/api.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ccm::openstack {

struct Port {
  std::string id;
  std::string device_id;
  std::string network_id;
  bool active = false;
  std::vector<std::string> addresses;  // of its fixed IPs, in their order
  std::vector<std::string> subports;   // IDs, when it is the parent of a trunk
};

struct PortPage {
  std::vector<Port> ports;
  bool more = false;
};

// Failure: bad_answer().
Result<PortPage> parse_ports(std::string_view json_text);

// Ports by the ID of their server and by their own, and the names of subports' networks.
class ServerPorts {
 public:
  void add(Port port);
  void set_network_names(std::map<std::string, std::string> names) { names_ = std::move(names); }

  // In the order of their IDs, which is the same in each answer.
  [[nodiscard]] std::vector<const Port*> of(const std::string& server_id) const;
  [[nodiscard]] const Port* find(const std::string& id) const;
  [[nodiscard]] std::string network_name(const std::string& id) const;
  // All that are named by trunks.
  [[nodiscard]] std::vector<std::string> subports() const;

 private:
  std::map<std::string, Port> ports_;                                 // by ID
  std::unordered_map<std::string, std::vector<std::string>> owners_;  // IDs by server
  std::map<std::string, std::string> names_;                          // of networks, by ID
};

// The ports of all servers, or of one when `server_id` is not empty, with their subports.
Task<Result<ServerPorts>> list_ports(Api& api, Ctx ctx, std::string server_id);

}  // namespace ccm::openstack
