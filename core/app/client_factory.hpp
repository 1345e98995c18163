// Makes the Kubernetes clients of this process: for each user a user agent and a rate limit of its
// own (HOST-20, HOST-22, HOST-82, HOST-133), on one connection pool and credential; clients of a
// service account have those of the account (HOST-129..131). Loop thread, except separate().
#pragma once

#include "app/flags/options_command_line.hpp"
#include "base/clock.hpp"
#include "kube/client.hpp"
#include "kube/service_account_token.hpp"
#include "net/write_gate.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ccm::app {

class ClientFactory {
 public:
  using Observer = std::function<void(const kube::CallRecord&)>;

  struct Gates {
    std::shared_ptr<net::WriteGate> objects;  // for writer()s
    std::shared_ptr<net::WriteGate> events;   // for event_writer()s
  };

  // `observer`: is told of every request, on any thread.
  ClientFactory(const boost::asio::any_io_executor& executor, kube::ClientConfig config,
                const CommandLine& command_line, Gates gates, Observer observer);

  // "cloud-controller-manager/v0.1.0 (linux/amd64) kubernetes/abcdef0/NAME".
  static std::string user_agent_of(std::string_view name);

  // With the program's own credential. The home thread is the executor's.
  [[nodiscard]] kube::Client client(std::string_view name) const {
    return root_.derive(options(name));
  }
  // With that of a service account in kube-system.
  [[nodiscard]] kube::Client client_of_account(const std::string& account) const {
    return derive(account, options(""));
  }

  // For writers: each write passes the gate. `account`: a service account; empty: the program's own
  // credential.
  [[nodiscard]] kube::Client writer(std::string_view name, const std::string& account) const;

  // A writer of Events; other writes go first.
  [[nodiscard]] kube::Client event_writer(std::string_view name, const std::string& account) const;

  // Shares nothing, for use on another thread: the client of the Lease.
  [[nodiscard]] kube::Client separate(const boost::asio::any_io_executor& executor,
                                      std::string_view name) const;

  // Checks certificates, keys and CA without a connection; a failure is one clear line.
  [[nodiscard]] Status check() const { return root_.check(); }
  [[nodiscard]] const kube::ClientConfig& config() const { return root_.config(); }
  // The rate limit of each client; negative: none.
  [[nodiscard]] double qps() const { return qps_; }
  [[nodiscard]] int burst() const { return qps_ < 0 ? -1 : burst_; }
  // The tokens of the service accounts in use, by name.
  [[nodiscard]] const std::map<std::string, std::shared_ptr<kube::ServiceAccountToken>>& tokens()
      const {
    return tokens_;
  }

 private:
  [[nodiscard]] kube::ClientOptions options(std::string_view name) const;
  [[nodiscard]] kube::Client derive(const std::string& account, kube::ClientOptions own) const;
  [[nodiscard]] const kube::Client& connection_of(const std::string& account) const;

  double qps_;
  int burst_;
  Gates gates_;
  Observer observer_;
  kube::Client root_;
  SystemClock clock_;
  // One connection pool for each account, made when it is first used.
  mutable std::map<std::string, kube::Client> accounts_;
  mutable std::map<std::string, std::shared_ptr<kube::ServiceAccountToken>> tokens_;
};

}  // namespace ccm::app
