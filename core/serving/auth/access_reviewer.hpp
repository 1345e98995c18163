// Asks the API server whether a user may do something on a path (SubjectAccessReview). The server's
// thread.
#pragma once

#include "base/log.hpp"
#include "serving/auth/review_cache.hpp"
#include "serving/auth/review_client.hpp"
#include "serving/message.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>

namespace ccm::serving {

class AccessReviewer {
 public:
  struct Lifetimes {
    std::chrono::nanoseconds allowed{std::chrono::seconds(10)};
    std::chrono::nanoseconds refused{std::chrono::seconds(10)};
  };
  AccessReviewer(ReviewClient client, Lifetimes lifetimes)
      : client_(std::move(client)), lifetimes_(lifetimes) {}

  // `verb`: the method in lower case; `machine`: where the request comes from. Failures are not
  // remembered.
  boost::asio::awaitable<Result<Verdict>> may(User user, std::string verb, std::string path,
                                              std::string machine);

 private:
  ReviewClient client_;
  const Lifetimes lifetimes_;
  ReviewCacheKey key_of_;
  ReviewCache<Verdict> cache_;
  ReviewsUnderWay<Verdict> under_way_;
  log::Throttle complaints_;
};

// The meaning of the answer to a SubjectAccessReview (API-121, 122). Pure.
Result<Verdict> verdict_in_review(const std::string& answer);

}  // namespace ccm::serving
