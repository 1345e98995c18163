#include "serving/auth/access_control.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
using std::chrono::steady_clock;

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

// For text that a browser could read as markup.
std::string harmless(std::string_view text) { return escaped(text, "&<>"); }

std::string json_text(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Answer failure(unsigned code, const char* reason, const std::string& message, bool details) {
  nlohmann::ordered_json status = {
      {"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", nlohmann::ordered_json::object()},
      {"status", "Failure"}, {"message", message}, {"reason", reason}};
  if (details) status["details"] = nlohmann::ordered_json::object();
  status["code"] = code;
  Answer answer;
  answer.status = code;
  answer.body = status.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  answer.content_type = "application/json";
  return answer;
}

std::string_view without_slash(std::string_view path) {
  return path.substr(path.starts_with('/') ? 1 : 0);
}

// The bodies that API servers send.
Answer forbidden_answer(const Request& request, const std::string& reason) {
  std::string message = "User " + json_text(request.user.name) + " cannot " +
                        lower_case(request.method) + " path " + json_text(request.path);
  message = "forbidden: " + harmless(message);
  if (!reason.empty()) message += ": " + reason;
  return failure(403, "Forbidden", message, true);
}

Answer too_many_answer() {
  Answer answer =
      failure(429, "TooManyRequests", "Too many requests, please try again later.", false);
  answer.retry_after = 1;
  return answer;
}

Answer review_failed_answer(const Request& request) {
  return Answer{500, "Internal Server Error: " + harmless(json_text(request.target)) +
                         ": the access review failed\n"};
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

AccessControl::AccessControl(Authenticator authenticator, std::shared_ptr<AccessReviewer> reviewer,
                             std::vector<std::string> open_paths, AuthMetrics& metrics)
    : authenticator_(std::move(authenticator)),
      reviewer_(std::move(reviewer)),
      open_paths_(std::move(open_paths)),
      metrics_(metrics) {}

bool AccessControl::open(std::string_view path) const {
  const std::string_view asked = without_slash(path);
  return std::ranges::any_of(open_paths_, [asked](const std::string& pattern) {
    const std::string_view known = without_slash(pattern);
    return known.ends_with('*') ? asked.starts_with(known.substr(0, known.size() - 1))
                                : asked == known;
  });
}

asio::awaitable<Result<Verdict>> AccessControl::decide(std::shared_ptr<Request> request) {
  Verdict verdict;
  const bool master = request->user.in_group(kMasters);
  if (master) request->by_right = true;
  if (master || open(request->path)) {
    verdict.decision = Verdict::Decision::allowed;
    co_return verdict;
  }
  request->by_right = false;
  if (!reviewer_) co_return verdict;
  User user = request->user;
  std::string verb = lower_case(request->method);
  std::string path = request->path;
  Result<Verdict> asked =
      co_await reviewer_->may(std::move(user), std::move(verb), std::move(path), request->machine);
  request->by_right = asked.ok() && asked->decision == Verdict::Decision::allowed;
  co_return asked;
}

// Only clients that show a credential and want details cost a review.
asio::awaitable<bool> AccessControl::sees_status(std::shared_ptr<Request> request) {
  if (request->user.in_group(kMasters)) co_return true;
  const bool asks = open(request->path) && request->query.find("verbose") != std::string::npos;
  if (!asks || !reviewer_ || request->user.name == kAnonymous) co_return false;
  User user = request->user;
  std::string verb = "get";
  std::string path = "/statusz";
  const Result<Verdict> asked =
      co_await reviewer_->may(std::move(user), std::move(verb), std::move(path), request->machine);
  co_return asked.ok() && asked->decision == Verdict::Decision::allowed;
}

asio::awaitable<std::optional<Answer>> AccessControl::admit(std::shared_ptr<Request> request) {
  auto begin = steady_clock::now();
  const Status known = co_await authenticator_.authenticate(request);
  if (!known.ok()) request->by_right = false;
  metrics_.authenticated(known, request->user, steady_clock::now() - begin);
  if (known.code() == Code::resource_exhausted) co_return too_many_answer();
  if (!known.ok()) {
    if (const auto verbose = log::v(2)) {
      verbose.info("a request was not authenticated",
                   {{"path", utf8_front(request->path, kShownInLog)}, {"err", known}});
    }
    co_return failure(401, "Unauthorized", "Unauthorized", false);
  }
  begin = steady_clock::now();
  const Result<Verdict> verdict = co_await decide(request);
  metrics_.authorized(verdict, steady_clock::now() - begin);
  if (verdict.ok() && verdict->decision == Verdict::Decision::allowed) {
    request->sees_status = co_await sees_status(request);
    co_return std::nullopt;
  }
  if (verdict.ok()) {
    if (const auto verbose = log::v(4)) {
      verbose.info("a request was refused",
                   {{"path", utf8_front(request->path, kShownInLog)},
                    {"user", utf8_front(request->user.name, kShownInLog)}});
    }
    co_return forbidden_answer(*request, verdict->reason);
  }
  const Status fault = verdict.status();
  if (fault.code() == Code::resource_exhausted && fault.reason() == "Busy") {
    co_return too_many_answer();
  }
  co_return review_failed_answer(*request);
}

}  // namespace ccm::serving
