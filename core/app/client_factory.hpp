// Makes the Kubernetes clients of this process: one connection pool and credential, and for each
// user a user agent and a rate limit of its own (HOST-20, HOST-22, HOST-82, HOST-133).
#pragma once

#include "app/flags/options_command_line.hpp"
#include "kube/client.hpp"
#include "net/write_gate.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ccm::app {

class ClientFactory {
 public:
  using Observer = std::function<void(const kube::CallRecord&)>;

  struct Gates {
    std::shared_ptr<net::WriteGate> objects;  // of writer()s
    std::shared_ptr<net::WriteGate> events;   // of event_writer()s
  };

  // `observer`: is told of every request, on any thread.
  ClientFactory(const boost::asio::any_io_executor& executor, kube::ClientConfig config,
                const CommandLine& command_line, Gates gates, Observer observer);

  // "cloud-controller-manager/v0.1.0 (linux/amd64) kubernetes/abcdef0/NAME".
  static std::string user_agent_of(std::string_view name);

  // Shares connections with the others of this factory. The home thread is the executor's.
  [[nodiscard]] kube::Client client(std::string_view name) const;

  // The same for writers: each write passes the gate.
  [[nodiscard]] kube::Client writer(std::string_view name) const;

  // A writer of Events; other writes go first.
  [[nodiscard]] kube::Client event_writer(std::string_view name) const;

  // Shares nothing, for use on another thread: the client of the Lease.
  [[nodiscard]] kube::Client separate(const boost::asio::any_io_executor& executor,
                                      std::string_view name) const;

  // Checks certificates, keys and CA without a connection; a failure is one clear line.
  [[nodiscard]] Status check() const { return root_.check(); }
  [[nodiscard]] const kube::ClientConfig& config() const { return root_.config(); }

 private:
  [[nodiscard]] kube::ClientOptions options(std::string_view name) const;

  double qps_;
  int burst_;
  Gates gates_;
  Observer observer_;
  kube::Client root_;
};

}  // namespace ccm::app
