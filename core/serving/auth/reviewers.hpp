// Ask the API server for the user of a bearer token (TokenReview), and whether a user may do
// something on a path (SubjectAccessReview). The server's thread.
#pragma once

#include "base/log.hpp"
#include "serving/auth/reviews.hpp"
#include "serving/message.hpp"
#include "serving/metrics.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace ccm::serving {

// The users of bearer tokens.
class TokenReviewer {
 public:
  // Null: the token belongs to no user.
  using Owner = std::shared_ptr<const User>;

  // `lifetime` of an answer, whichever it is; 0 = none is kept. `metrics` outlives it.
  TokenReviewer(ReviewClient client, std::chrono::nanoseconds lifetime, TokenCacheMetrics& metrics)
      : client_(std::move(client)), lifetime_(lifetime), metrics_(metrics) {}

  // A failure says nothing about the token and is not remembered. `machine`: the client's address.
  boost::asio::awaitable<Result<Owner>> owner_of(std::string token, std::string machine);

 private:
  boost::asio::awaitable<Result<Owner>> reviewed(std::string key, std::string token,
                                                 std::string machine);

  ReviewClient client_;
  const std::chrono::nanoseconds lifetime_;
  TokenCacheMetrics& metrics_;
  ReviewCacheKey key_of_;
  ReviewCache<Owner> cache_;
  ReviewsUnderWay<Owner> under_way_;
  ReviewCache<bool> good_before_;
  log::Throttle complaints_;
};

// The meaning of the answer to a TokenReview (API-119). Pure.
Result<TokenReviewer::Owner> owner_in_review(const std::string& answer);

// The rights of users to pages.
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
