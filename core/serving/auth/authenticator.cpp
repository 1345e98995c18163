#include "serving/auth/authenticator.hpp"

#include <ccm/trim.hpp>

#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;

namespace {

void settle(User user, Request* request) {
  if (user.name != kAnonymous && !user.in_group(kAuthenticated)) {
    user.groups.emplace_back(kAuthenticated);  // API-126
  }
  request->user = std::move(user);
}

Status rejected(std::string why, bool review_failed) {
  Status status(Code::unauthenticated, ErrorClass::auth, std::move(why));
  if (review_failed) status.with_reason("Error");
  return status;
}

}  // namespace

std::string bearer_token(std::string_view header) {
  header = trim(header, kBlanks);
  const auto space = header.find(' ');
  if (space == std::string_view::npos || !same_header(header.substr(0, space), "bearer")) return {};
  header = trim(header.substr(space), kBlanks);
  return std::string(header.substr(0, header.find(' ')));
}

asio::awaitable<Status> Authenticator::authenticate(std::shared_ptr<Request> request) {
  const Trust trust = trust_->current();
  Finding finding = user_of_front_proxy(trust.proxies, *request);
  std::string fault = std::move(finding.fault);
  if (!finding.user) {
    finding = user_of_certificate(trust.clients, *request);
    if (finding.user) metrics_.believed(*request->peer);
    if (!finding.fault.empty()) fault += (fault.empty() ? "" : "; ") + finding.fault;
  }
  std::string token = bearer_token(request->header("Authorization"));
  strip_credentials(trust.proxies, request.get());
  if (finding.user) {
    settle(std::move(*finding.user), request.get());
    co_return Status();
  }
  bool review_failed = false;
  if (tokens_ && !token.empty()) {
    const Result<TokenReviewer::Owner> owner =
        co_await tokens_->owner_of(std::move(token), request->machine);
    if (owner.ok() && *owner != nullptr) {
      settle(**owner, request.get());
      co_return Status();
    }
    review_failed = !owner.ok();
    if (owner.status().code() == Code::resource_exhausted && owner.status().reason() == "Busy") {
      co_return owner.status();
    }
    fault += (fault.empty() ? "" : "; ");
    fault += review_failed ? owner.status().message() : "the bearer token is nobody's";
  }
  if (!fault.empty()) co_return rejected(std::move(fault), review_failed);
  User nobody;
  nobody.name = kAnonymous;
  nobody.groups.emplace_back(kUnauthenticated);
  request->user = std::move(nobody);
  co_return Status();
}

}  // namespace ccm::serving
