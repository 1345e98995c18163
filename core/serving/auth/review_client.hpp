// Asks the API server for a review: tries again what may pass, within one time limit (API-124,
// HOST-103). The server's thread, which is the client's.
#pragma once

#include "kube/client.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace ccm::serving {

struct ReviewLimits {
  std::chrono::milliseconds budget{10'000};  // of one review, with all its tries
  std::chrono::milliseconds first_pause{500};
  double pause_factor = 1.5;
  int tries = 5;
  // Beyond it a review fails at once: whoever sends made-up tokens cannot pile up work.
  std::size_t max_under_way = 64;
};

class ReviewClient {
 public:
  ReviewClient(kube::Client client, std::string path, ReviewLimits limits);

  // The answer to a POST of `review`. Failures: resource_exhausted with reason "Busy" when too many
  // are under way; else what the last try met.
  boost::asio::awaitable<Result<std::string>> post(std::string review);

  [[nodiscard]] boost::asio::any_io_executor executor() const { return client_.executor(); }

 private:
  struct Count;
  kube::Client client_;
  std::string path_;
  ReviewLimits limits_;
  std::shared_ptr<std::size_t> under_way_ = std::make_shared<std::size_t>(0);
};

}  // namespace ccm::serving
