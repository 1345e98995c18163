// Access to pages: authentication, then authorization, and the answers to clients without the right
// (HOST-100..103). The server's thread.
#pragma once

#include "serving/auth/access_reviewer.hpp"
#include "serving/auth/auth_metrics.hpp"
#include "serving/auth/authenticator.hpp"
#include "serving/message.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::serving {

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
