// A log-in at Keystone that is kept: one token for everything that asks, renewed before it ends and
// when a service refuses it (OS-79..OS-90). [serial]
#pragma once

#include "login.hpp"
#include "openstack/config/settings.hpp"
#include "token.hpp"

#include <ccm/gate.hpp>
#include <ccm/host.hpp>
#include <ccm/http.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace ccm::openstack {

class Session {
 public:
  using TokenPtr = std::shared_ptr<const Token>;

  Session(Host& host, std::string user_agent);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The next token is one for these. `timeout`: of one request. `http`: for all requests to the
  // cloud.
  void configure(GlobalSettings global, milliseconds timeout, Http http);
  [[nodiscard]] const Http& http() const { return http_; }
  [[nodiscard]] const GlobalSettings& settings() const { return global_; }
  [[nodiscard]] milliseconds timeout() const { return timeout_; }
  [[nodiscard]] const std::string& user_agent() const { return user_agent_; }

  // A token that holds. Those that ask while one is fetched get that one. Failures:
  // invalid_argument when the options make no log-in, unauthenticated when Keystone refuses it,
  // unavailable when it does not answer, and the end of `ctx`.
  Task<Result<TokenPtr>> token(Ctx ctx);
  // Logs in and out again: whether Keystone takes what was configured.
  Task<Status> check(Ctx ctx);
  // Revokes the token, so that it is of no use to anybody who finds it.
  Task<Status> log_out(Ctx ctx);
  // A service does not take it, so nobody gets it again.
  void refused(const TokenPtr& token);

 private:
  struct Round {
    explicit Round(const Post& post) : ended(post) {}
    Gate ended;
    Result<TokenPtr> outcome = Status(Code::unavailable, "nobody logged in");
  };

  [[nodiscard]] bool renewal_due() const;
  Task<Status> run(std::shared_ptr<Round> round);
  Task<Result<TokenPtr>> log_in(Ctx ctx);
  Task<Result<std::string>> find_keystone(Ctx ctx);
  [[nodiscard]] HttpRequest request(std::string method, std::string url) const;

  Host& host_;
  std::string user_agent_;
  GlobalSettings global_;
  milliseconds timeout_{60'000};
  Http http_;
  int64_t configured_ = 0;  // how often
  TokenPtr current_;
  milliseconds renew_at_{0};  // by the monotonic clock, as is this:
  milliseconds ends_at_{0};
  std::shared_ptr<Round> running_;
  Metric expiry_;
};

}  // namespace ccm::openstack
