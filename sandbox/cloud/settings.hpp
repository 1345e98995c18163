#pragma once

#include <nlohmann/json.hpp>

namespace sandbox::cloud {

// The cloud's behaviour without faults; PUT /control/settings.
struct Settings {
  int active_ms = 300;     // from the creation of a load balancer until it is active
  int update_ms = 0;       // how long a change makes it pending again
  int delete_ms = 0;       // until a deleted one is gone
  int load_balancers = 0;  // quota; 0 = none
  int backends = 0;        // of one load balancer; 0 = no limit
  int routes = 0;          // that the table holds; 0 = no limit
  int batch = 0;           // changes of routes in one call; 0 = any number
  int says_when = 1;       // 0: a pending load balancer does not tell when it is ready

  // Throws std::invalid_argument naming the wrong member.
  static Settings parse(const nlohmann::json& json);
  nlohmann::json describe() const;
};

}  // namespace sandbox::cloud
