// What the http service needs from the HTTP client, and what watches over a credential's calls.
#pragma once

#include "net/http_client.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ccm::plugin {

// One exchange; `done` is called once, on the loop, not inside the call. Loop thread.
using SendHttp = std::function<void(net::Request, std::function<void(Result<net::Response>)> done)>;

// The real one.
SendHttp make_send_http(boost::asio::any_io_executor executor,
                        std::shared_ptr<net::HttpClient> client);

// The calls that one credential may make. A refusal (429, or an exhausted window) holds back every
// call under that credential, whoever makes it, until the cloud said it would answer again.
// Loop thread.
class CallBudgets {
 public:
  explicit CallBudgets(const runtime::Timers& timers) : timers_(timers) {}
  // How long the next call under `credential` has to wait.
  [[nodiscard]] std::chrono::milliseconds delay(const std::string& credential) const;
  // Learns from an answer: Retry-After, RateLimit-Remaining and RateLimit-Reset.
  void learn(const std::string& credential, const net::Response& response);

 private:
  const runtime::Timers& timers_;
  std::map<std::string, runtime::TimePoint> closed_until_;
};

// Retry-After in both forms (RFC 9110 10.2.3): seconds, or a date compared with `now`. nullopt for
// anything else; never negative.
std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view text, std::chrono::system_clock::time_point now);

}  // namespace ccm::plugin
