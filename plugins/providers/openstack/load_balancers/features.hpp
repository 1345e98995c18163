// The abilities of an Octavia and of one of its providers (OS-249, OS-297, OS-333, OS-348). Any
// thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace ccm::openstack {

struct Features {
  bool tags = false;
  bool timeouts = false;
  bool flavors = false;
  bool allowed_cidrs = false;
  bool availability_zones = false;
  bool http_monitor = false;
  bool http_monitor_of_udp = false;
  bool http = false;     // HTTP, TLS and PROXY
  bool methods = false;  // others than SOURCE_IP_PORT
  bool additional_vips = false;
};

// The minor number of the newest version that the list names, "v2.30" -> 30. Failure: bad_answer().
Result<int> parse_octavia_version(std::string_view json_text);

// `minor`: of Octavia's version 2. `provider`: "amphora", "ovn"...
Features features_of(int minor, const std::string& provider);

}  // namespace ccm::openstack
