// Sends reviews to the API server and retries temporary failures within one time limit (API-124,
// HOST-103). The server's thread, which is the client's.
#pragma once

#include "kube/client.hpp"
#include "serving/auth/review_slots.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>

namespace ccm::serving {

struct ReviewLimits {
  std::chrono::milliseconds budget{10'000};  // of one review, with all its attempts
  std::chrono::milliseconds first_pause{500};
  double pause_factor = 1.5;
  int tries = 5;
  // Beyond it a review fails at once: clients with made-up tokens cannot pile up work.
  ReviewSlots::Limits slots{};
};

class ReviewClient {
 public:
  ReviewClient(kube::Client client, std::string path, ReviewLimits limits);

  // The answer to a POST of `review`. Failures: resource_exhausted with reason "Busy" when too many
  // are under way; else the failure of the last attempt.
  boost::asio::awaitable<Result<std::string>> post(std::string review, Asker asker);

  [[nodiscard]] boost::asio::any_io_executor executor() const { return client_.executor(); }

 private:
  kube::Client client_;
  std::string path_;
  ReviewLimits limits_;
  ReviewSlots slots_;
};

}  // namespace ccm::serving
