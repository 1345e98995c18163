#include "session.hpp"

#include "endpoints.hpp"
#include "openstack/answer.hpp"

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr milliseconds kEarliestRenewal{300'000};  // before the end (OS-90)
constexpr milliseconds kNextRenewal{30'000};       // after one that failed

}  // namespace

Session::Session(Host& host, std::string user_agent)
    : host_(host),
      user_agent_(std::move(user_agent)),
      expiry_(host.metrics.gauge("openstack_token_expiration_timestamp_seconds",
                                 "When the token of Keystone that is in use expires, in Unix "
                                 "time; 0 without one.")) {}

void Session::configure(GlobalSettings global, milliseconds timeout, Http http) {
  global_ = std::move(global);
  timeout_ = timeout;
  http_ = std::move(http);
  ++configured_;
  current_.reset();
  running_.reset();
}

void Session::refused(const TokenPtr& token) {
  if (current_ == token) current_.reset();
}

bool Session::renewal_due() const { return !current_ || host_.timer.now() >= renew_at_; }

Task<Result<Session::TokenPtr>> Session::token(Ctx ctx) {
  if (!renewal_due()) co_return current_;
  std::shared_ptr<Round> round = running_;
  if (!round) {
    round = running_ = std::make_shared<Round>(host_.post);
    host_.spawn(run(round));
  }
  // The old one holds while it is renewed.
  if (current_ && host_.timer.now() < ends_at_) co_return current_;
  co_await round->ended.wait(ctx);
  if (Status ended = ctx.status(); !ended.ok()) co_return ended;
  co_return round->outcome;
}

// Not within the operation that asked first: others wait for it as well.
Task<Status> Session::run(std::shared_ptr<Round> round) {
  const int64_t configured = configured_;
  // Its own requests have a limit each; two of them when Keystone's versions are asked for.
  Ctx ctx = host_.background().with_timeout(2 * timeout_);
  round->outcome = co_await log_in(ctx);
  if (configured == configured_) {
    const milliseconds now = host_.timer.now();
    if (round->outcome.ok()) {
      current_ = *round->outcome;
      expiry_.record(static_cast<double>(current_->expires_at.count()) / 1e3);
      const milliseconds lasts = current_->expires_at - host_.timer.wall_clock();
      ends_at_ = now + lasts;
      renew_at_ = ends_at_ - std::min(kEarliestRenewal, lasts / 5);
    } else if (current_) {
      host_.log.warning("The token of Keystone could not be renewed; the old one is used on",
                        {{"err", round->outcome.status()}});
      renew_at_ = now + kNextRenewal;
    }
    running_.reset();
  }
  round->ended.open();
  co_return Status();  // the failure is told to those who asked
}

Task<Status> Session::check(Ctx ctx) {
  auto token = co_await log_in(ctx);
  if (!token.ok()) co_return token.status();
  current_ = *token;
  const Status ended = co_await log_out(ctx);
  if (!ended.ok()) host_.log.v(2, "A token of Keystone was not revoked", {{"err", ended}});
  co_return Status();
}

Task<Status> Session::log_out(Ctx ctx) {
  const TokenPtr token = std::exchange(current_, nullptr);
  if (!token) co_return Status();
  auto keystone = co_await find_keystone(ctx);
  if (!keystone.ok()) co_return keystone.status();
  HttpRequest question = request("DELETE", *keystone + "/auth/tokens");
  question.headers.push_back({"x-auth-token", token->id.reveal()});
  question.headers.push_back({"x-subject-token", token->id.reveal()});
  question.operation = "RevokeToken";
  question.read_only = true;  // a standby logs out as well
  auto answer = co_await http_.send(ctx, std::move(question));
  if (!answer.ok()) co_return answer.status();
  co_return status_of("RevokeToken", *answer);
}

HttpRequest Session::request(std::string method, std::string url) const {
  HttpRequest request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.headers.push_back({"accept", "application/json"});
  request.headers.push_back({"user-agent", user_agent_});
  request.credential = "openstack-identity";
  request.timeout = timeout_;
  return request;
}

Task<Result<std::string>> Session::find_keystone(Ctx ctx) {
  std::string url = global_.auth_url;
  while (url.ends_with('/')) url.pop_back();
  if (has_version(url)) co_return url;
  if (!global_.trust_id.empty()) co_return url + "/v3";  // OS-76
  HttpRequest question = request("GET", url + "/");
  question.operation = "ListIdentityVersions";
  auto answer = co_await http_.send(ctx, std::move(question));
  if (!answer.ok()) co_return answer.status();
  if (answer->status_code != 300) {  // as Keystone answers, besides 200 (OS-80)
    Status status = status_of("ListIdentityVersions", *answer);
    if (!status.ok()) co_return status;
  }
  co_return identity_url(url, answer->body);
}

Task<Result<Session::TokenPtr>> Session::log_in(Ctx ctx) {
  auto login = login_request(global_);
  if (!login.ok()) co_return login.status();
  auto keystone = co_await find_keystone(ctx);
  if (!keystone.ok()) {
    co_return keystone.status().with_context("[Global] auth-url " + global_.auth_url);
  }
  HttpRequest question = request("POST", *keystone + "/auth/tokens");
  question.headers.push_back({"content-type", "application/json"});
  question.body = login->body.reveal();
  question.operation = "CreateToken";
  // It changes nothing in the cloud, and one too many is no harm.
  question.read_only = true;
  question.max_tries = 3;
  auto answer = co_await http_.send(ctx, std::move(question));
  const std::string context =
      "logging in at " + *keystone + " (" + login->description + ", cloud.conf [Global])";
  if (!answer.ok()) co_return answer.status().with_context(context);
  Status status = status_of("CreateToken", *answer);
  if (!status.ok()) co_return std::move(status).with_context(context);
  auto token = parse_token(*answer);
  if (!token.ok()) co_return token.status().with_context(context);
  host_.log.v(2, "Logged in at Keystone", {{"as", login->description}});
  co_return TokenPtr(std::make_shared<const Token>(*std::move(token)));
}

}  // namespace ccm::openstack
