// Sends reviews to the API server, a limited number at once, and retries temporary failures within
// one time limit (API-124, HOST-103). The server's thread, which is the client's.
#pragma once

#include "kube/client.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ccm::serving {

// The client that a review is for: a user or token that is known to be valid, else the client's
// address.
struct Requester {
  std::string name;
  bool known = false;
};

// Limits the reviews under way, by client. Strangers cannot take the places of clients with a known
// credential, and no client can take all places of its kind.
class ReviewSlots {
 public:
  struct Limits {
    std::size_t all = 64;
    std::size_t strangers = 16;
    std::size_t one_stranger = 8;
    std::size_t one_known = 16;
  };

  explicit ReviewSlots(Limits limits) : counts_(std::make_shared<Counts>()), limits_(limits) {}

  // Held for as long as the review is under way.
  using Place = std::shared_ptr<void>;
  // Null: too many are under way.
  Place take(const Requester& requester);

 private:
  struct Counts {
    std::size_t all = 0;
    std::size_t strangers = 0;
    std::map<std::string, std::size_t> by_requester;
  };
  std::shared_ptr<Counts> counts_;
  Limits limits_;
};

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
  boost::asio::awaitable<Result<std::string>> post(std::string review, Requester requester);

  [[nodiscard]] boost::asio::any_io_executor executor() const { return client_.executor(); }

 private:
  kube::Client client_;
  std::string path_;
  ReviewLimits limits_;
  ReviewSlots slots_;
};

}  // namespace ccm::serving
