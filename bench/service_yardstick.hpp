// The yardstick of service_bench: makes the calls that a manager makes for Services, to the API
// server and to the sandbox cloud, and does nothing else.
#pragma once

#include "bare_client.hpp"
#include "services.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace ccm::bench {

// A Service of type LoadBalancer with two ports. With more than the API server has node ports for,
// they get none.
BareRequest create_service(const std::string& name, bool node_ports);

struct ServiceYardstick {
  Server admin;     // creates the Services
  Server identity;  // the manager's: patches them and tells Events
  Server cloud;
  std::size_t services = 0;
  std::size_t connections = 0;      // of each of the three, each with the next Service in turn
  nlohmann::json backends;          // names of machines
  double active_after_seconds = 0;  // in the cloud

  // Creates the Services; for each adds the finalizer, looks for a load balancer in the cloud and
  // creates one, writes its id to the Service; when the cloud has finished it, reads it and writes
  // its address; with two Events. Returns the seconds from the first call to the last answer and
  // removes the Services (not the load balancers). Throws std::runtime_error.
  [[nodiscard]] double measure() const;
};

}  // namespace ccm::bench
