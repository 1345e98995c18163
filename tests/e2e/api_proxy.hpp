// A proxy between the managers and the API server that injects faults on demand: the same faults on
// every server.
#pragma once

#include "support/kubeconfig.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace ccm::e2e {

// The effect on matching requests.
struct ProxyFault {
  std::string method{};       // empty: any
  std::string target{};       // regular expression, found anywhere in path and query
  int status = 0;             // answered with this instead of being passed on; 0: passed on
  std::string retry_after{};  // header of that answer, if not empty
  bool lose_answer = false;   // passed on, but the connection is cut instead of answering
  std::chrono::milliseconds delay{0};  // first of all
  int count = -1;                      // so often; -1: always
};

// All functions: any thread. Serves in threads of its own.
class ApiProxy {
 public:
  // upstream: with these credentials, whatever the clients send.
  explicit ApiProxy(support::Credentials upstream);
  ~ApiProxy();
  ApiProxy(const ApiProxy&) = delete;
  ApiProxy& operator=(const ApiProxy&) = delete;

  // "http://127.0.0.1:PORT", the same over away() and back().
  [[nodiscard]] std::string server() const;

  // From now on port forwards of every Pod lead to this port on loopback, as if a kubelet did it.
  void forward_pods_to(uint16_t port);

  // Cuts every connection and refuses new ones.
  void away();
  void back();

  // How many matching requests have come; an empty method matches all, `target` as in ProxyFault,
  // `accept` is a part of the header of that name.
  [[nodiscard]] std::size_t requests(const std::string& method, const std::string& target,
                                     const std::string& accept = {}) const;
  // The body of the newest matching POST; empty when there was none.
  [[nodiscard]] std::string last_posted(const std::string& target) const;

  void add(ProxyFault fault);
  void clear();

  // Every watch that is open now is cut in the middle of its next event.
  void cut_watches();
  // Every watch of Nodes that is open now gets this line next, as if the server had sent it.
  void inject(const std::string& line);
  // Every such watch gets a Status of code 410 next, after which the stream ends.
  void expire_watches();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccm::e2e
