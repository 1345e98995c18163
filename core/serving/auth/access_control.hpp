// Who sent a request, what he may see (HOST-100..103), and the answers to clients without the
// right. The server's thread.
#pragma once

#include "serving/auth/reviewers.hpp"
#include "serving/auth/trust.hpp"
#include "serving/message.hpp"
#include "serving/metrics.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::serving {

// The user who sent a request (HOST-101): by front proxy, client certificate or bearer token, else
// system:anonymous.
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

// Authentication, then authorization.
class AccessControl {
 public:
  // `reviewer` null: nobody to ask, so only administrators and `open_paths` pass. `metrics`
  // outlives this. Open paths are exact, or a prefix with one * at the end (HOST-70).
  AccessControl(Authenticator authenticator, std::shared_ptr<AccessReviewer> reviewer,
                std::vector<std::string> open_paths, AuthMetrics& metrics);

  // Sets the request's user, and whether it sees the status of a verbose health page: anybody may
  // have that page, but only clients with a right to get /statusz see reasons in it. Nothing: it
  // may have its page. Else the answer: 401, 403, 429 or 500.
  boost::asio::awaitable<std::optional<Answer>> admit(std::shared_ptr<Request> request);

 private:
  boost::asio::awaitable<Result<Verdict>> decide(std::shared_ptr<Request> request);
  boost::asio::awaitable<bool> sees_status(std::shared_ptr<Request> request);
  [[nodiscard]] bool open(std::string_view path) const;

  Authenticator authenticator_;
  std::shared_ptr<AccessReviewer> reviewer_;
  std::vector<std::string> open_paths_;
  AuthMetrics& metrics_;
};

}  // namespace ccm::serving
