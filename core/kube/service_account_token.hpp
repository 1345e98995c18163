// The token of a service account, by the API server's TokenRequest (API-84, HOST-129, 130). It is
// renewed beside the requests that use it, long before it expires. Home thread: the client's.
#pragma once

#include "base/clock.hpp"
#include "kube/client.hpp"
#include "kube/config.hpp"
#include "kube/task_group.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace ccm::kube {

struct ServiceAccount {
  std::string namespace_name = "kube-system";
  std::string name;
  // "system:serviceaccount:kube-system:node-controller": the API server's name for it.
  [[nodiscard]] std::string user() const {
    return "system:serviceaccount:" + namespace_name + ":" + name;
  }
};

struct TokenTiming {
  std::chrono::seconds lifetime{3'600};    // that is asked for
  int tries = 4;                           // in a row, when the API server gives no answer
  std::chrono::milliseconds pause{500};    // between them; doubles each time
  std::chrono::milliseconds retry{1'000};  // after a failure; doubles each time
  std::chrono::milliseconds longest_retry{30'000};
};

class ServiceAccountToken final : public TokenSource,
                                  public std::enable_shared_from_this<ServiceAccountToken> {
 public:
  // `client` asks for the tokens, and makes the account when it does not exist. `clock` must
  // outlive this object.
  ServiceAccountToken(Client client, ServiceAccount account, const Clock& clock,
                      TokenTiming timing = {});

  // A token that has not expired is answered at once, and renewed meanwhile when 80 % of its time
  // are over. A failed renewal costs nothing until it expires.
  boost::asio::awaitable<Result<std::string>> token() override;
  void rejected(const std::string& token) override;

  [[nodiscard]] const ServiceAccount& account() const { return account_; }
  // The time left to the token in use; none without one.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> time_left() const;

 private:
  using TimePoint = BootClock::time_point;

  [[nodiscard]] bool usable() const { return !token_.empty() && clock_.now() < expires_; }
  [[nodiscard]] bool due() const { return !usable() || clock_.now() >= renew_at_; }
  boost::asio::awaitable<void> renew();
  boost::asio::awaitable<Result<std::string>> request();
  boost::asio::awaitable<Result<std::string>> request_once();
  [[nodiscard]] ObjectRequest creation(std::string body) const;
  boost::asio::awaitable<Status> make_account();
  Status take(const std::string& answer, TimePoint asked);
  void failed(Status why);

  Client client_;
  const ServiceAccount account_;
  const Clock& clock_;
  const TokenTiming timing_;
  Signal renewed_;  // a renewal has ended, well or not
  bool renewing_ = false;
  std::string token_;  // never logged
  TimePoint renew_at_{};
  TimePoint expires_{};
  Status failure_;  // the last renewal's
  TimePoint not_before_{};
  std::chrono::milliseconds retry_;
};

}  // namespace ccm::kube
