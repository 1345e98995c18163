#include "kube/service_account_token.hpp"

#include "base/log.hpp"
#include "kube/json_text.hpp"
#include "kube/object.hpp"
#include "net/coroutines.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace ccm::kube {

namespace asio = boost::asio;

namespace {

std::string token_request(std::chrono::seconds lifetime) {
  return R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":)"
         R"({"expirationSeconds":)" +
         std::to_string(lifetime.count()) + "}}";
}

// The API server may grant less than what was asked for.
std::chrono::seconds granted(const ObjectPtr& answer, std::chrono::seconds asked) {
  const std::string_view text = answer->text_at("/spec/expirationSeconds");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool good = error == std::errc() && end == text.data() + text.size() && seconds > 0;
  return good ? std::min(asked, std::chrono::seconds(seconds)) : asked;
}

// A refusal stays one until somebody changes a role; a lost answer may be the last one.
bool worth_another_try(const Status& status) {
  return status.code() == Code::unavailable || status.code() == Code::deadline_exceeded ||
         status.code() == Code::resource_exhausted;
}

// Functions of their own and not in a coroutine ("Coroutines and GCC 12" in
// docs/provider-authors.md).
void log_created(const ServiceAccount& account) {
  log::info("Created a service account", {{"serviceAccount", account.user()}});
}

void log_failure(const ServiceAccount& account, const Status& why, bool usable) {
  log::warning(usable ? "Failed to renew the token of a service account; the last one is used "
                        "until it expires"
                      : "Failed to get a token of a service account",
               {{"serviceAccount", account.user()}, {"err", why}});
}

}  // namespace

ServiceAccountToken::ServiceAccountToken(Client client, ServiceAccount account, const Clock& clock,
                                         TokenTiming timing)
    : client_(std::move(client)),
      account_(std::move(account)),
      clock_(clock),
      timing_(timing),
      renewed_(client_.executor()),
      retry_(timing.retry) {}

asio::awaitable<Result<std::string>> ServiceAccountToken::token() {
  const auto self = shared_from_this();
  for (;;) {
    if (due() && !renewing_ && clock_.now() >= not_before_) {
      renewing_ = true;
      net::spawn(client_.executor(), renew());
    }
    if (usable()) co_return token_;
    if (!renewing_) co_return failure_;
    co_await renewed_.wait();
  }
}

void ServiceAccountToken::rejected(const std::string& token) {
  // Another request may have brought a new one since.
  if (token == token_) token_.clear();
}

std::optional<std::chrono::nanoseconds> ServiceAccountToken::time_left() const {
  if (!usable()) return std::nullopt;
  return expires_ - clock_.now();
}

asio::awaitable<void> ServiceAccountToken::renew() {
  const auto self = shared_from_this();
  const TimePoint asked = clock_.now();
  const Result<std::string> answer = co_await request();
  Status status = answer.ok() ? take(*answer, asked) : answer.status();
  if (!status.ok()) failed(std::move(status));
  renewing_ = false;
  renewed_.notify();
}

asio::awaitable<Result<std::string>> ServiceAccountToken::request() {
  auto pause = timing_.pause;
  for (int tries = 1;; ++tries) {
    Result<std::string> answer = co_await request_once();
    if (answer.ok() || tries >= timing_.tries || !worth_another_try(answer.status())) {
      co_return answer;
    }
    co_await net::pause(client_.executor(), pause);
    pause *= 2;
  }
}

ObjectRequest ServiceAccountToken::creation(std::string body) const {
  ObjectRequest request{.verb = ObjectRequest::Verb::create,
                        .resource = *Resource::parse("v1/serviceaccounts"),
                        .namespace_name = account_.namespace_name,
                        .name = account_.name,
                        .body = std::move(body)};
  request.call.max_retries = 0;
  return request;
}

// The account is looked for only when it is missing, so that no right to read it is needed.
asio::awaitable<Result<std::string>> ServiceAccountToken::request_once() {
  ObjectRequest request = creation(token_request(timing_.lifetime));
  request.write.subresource = "token";
  request.call.max_response_bytes = 1u << 20;  // reading it as JSON takes many times that
  Result<std::string> answer = co_await client_.send(request);
  if (answer.ok() || answer.status().code() != Code::not_found) co_return answer;
  const Status made = co_await make_account();
  if (!made.ok()) co_return made;
  answer = co_await client_.send(request);
  co_return answer;
}

asio::awaitable<Status> ServiceAccountToken::make_account() {
  ObjectRequest request =
      creation(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":)" +
               json_string(account_.name) + "}}");
  const Result<std::string> made = co_await client_.send(std::move(request));
  if (made.ok()) log_created(account_);
  // Another replica may have made it meanwhile.
  if (made.ok() || made.status().code() == Code::already_exists) co_return Status();
  co_return made.status();
}

Status ServiceAccountToken::take(const std::string& answer, TimePoint asked) {
  const Result<ObjectPtr> request = Object::decode(answer);
  const std::string_view token = request.ok() ? (*request)->text_at("/status/token") : "";
  if (token.empty()) {
    return {Code::data_loss,
            "the answer to the TokenRequest for " + account_.user() + " has no token"};
  }
  const std::chrono::nanoseconds lifetime = granted(*request, timing_.lifetime);
  token_ = std::string(token);
  renew_at_ = asked + lifetime * 4 / 5;
  expires_ = asked + lifetime;
  if (!failure_.ok()) {
    log::info("Got a new token of a service account", {{"serviceAccount", account_.user()}});
  }
  failure_ = {};
  retry_ = timing_.retry;
  not_before_ = {};
  return {};
}

void ServiceAccountToken::failed(Status why) {
  if (failure_.message() != why.message()) log_failure(account_, why, usable());
  failure_ = std::move(why);
  not_before_ = clock_.now() + retry_;
  retry_ = std::min(retry_ * 2, timing_.longest_retry);
}

}  // namespace ccm::kube
