// How late the manager renews its Lease, as other clients of the API server see it.
#pragma once

#include "bare_client.hpp"
#include "clock.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

namespace ccm::bench {

// The longest time between two renewals of the Lease, looked at every 20 ms.
class LeaseWatch {
 public:
  // The Lease need not be there yet. Throws what Connection does.
  explicit LeaseWatch(const Server& admin);

  // Ends it; the longest time, 0 when there were no two renewals.
  std::chrono::duration<double, std::milli> end();

 private:
  void look();

  Connection connection_;
  std::string last_;
  std::optional<Clock::time_point> renewed_;  // not known of the renewal before the first look
  Clock::duration longest_{0};
  std::jthread thread_;  // last: it uses the others
};

}  // namespace ccm::bench
