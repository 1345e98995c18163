// The user who sent a request (HOST-101): by front proxy, client certificate or bearer token, else
// system:anonymous. The server's thread.
#pragma once

#include "serving/auth/auth_metrics.hpp"
#include "serving/auth/token_reviewer.hpp"
#include "serving/auth/trust_source.hpp"
#include "serving/message.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace ccm::serving {

class Authenticator {
 public:
  // `tokens` null: bearer tokens are ignored, as there is nobody to ask. `metrics` outlives it.
  Authenticator(std::shared_ptr<TrustSource> trust, std::shared_ptr<TokenReviewer> tokens,
                AuthMetrics& metrics)
      : trust_(std::move(trust)), tokens_(std::move(tokens)), metrics_(metrics) {}

  // Sets the request's user and removes its credentials. Failures: unauthenticated when it showed
  // credentials and none is valid, its reason "Error" when a review failed; resource_exhausted when
  // too many reviews are under way.
  boost::asio::awaitable<Status> authenticate(std::shared_ptr<Request> request);

 private:
  std::shared_ptr<TrustSource> trust_;
  std::shared_ptr<TokenReviewer> tokens_;
  AuthMetrics& metrics_;
};

// The token of an Authorization header; empty when it is none of the scheme Bearer.
std::string bearer_token(std::string_view header);

}  // namespace ccm::serving
