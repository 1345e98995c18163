// The options of a soak run.
#pragma once

#include <cstdint>

namespace ccm::soak {

struct Options {
  int64_t nodes = 200;
  int64_t services = 20;
  double minutes = 5;
  double fault_percent = 5;      // of all calls to the cloud
  double service_change_s = 10;  // a Service comes, changes or goes
  double node_change_s = 120;    // a node comes, goes or is not ready for a while
  double sample_s = 0;           // between two rows of the table; 0 = a 30th of the run
  double settle_s = 420;         // how long it may take until all is right after the last fault
  double activation_s = 3;       // what the cloud needs for a load balancer
  int64_t latency_ms = 50;       // of each call
  int64_t hourly_limit = 5'000;  // of the cloud (DO-312)
  int64_t minute_limit = 250;
  uint32_t seed = 0;     // 0 = by chance; it is printed
  double growth_mb = 4;  // memory may grow by that from the second quarter to the last
};

}  // namespace ccm::soak
