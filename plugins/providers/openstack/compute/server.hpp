// Nova's servers, out of its JSON (OS-355, OS-356). Any thread.
#pragma once

#include "openstack/api.hpp"

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

struct ServerAddress {
  std::string network;  // its name
  std::string address;
  bool v6 = false;
  bool floating = false;
};

struct Server {
  std::string id;
  std::string name;
  std::string status;
  std::string access_ipv4;
  std::string access_ipv6;
  std::string hostname;                  // of the metadata
  std::string flavor_name;               // from microversion 2.47 on
  std::string flavor_id;                 // before
  std::string zone;                      // as Nova has it
  std::vector<ServerAddress> addresses;  // in the order of the networks' names
};

struct ServerPage {
  std::vector<Server> servers;
  bool more = false;
};

// Failure: bad_answer().
Result<ServerPage> parse_servers(std::string_view json_text);
Result<Server> parse_server(std::string_view json_text);

// The state for Nova's `status` (OS-152).
InstanceState state_of(const std::string& status);

}  // namespace ccm::openstack
