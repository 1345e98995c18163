#include "net/dialer.hpp"

#include "net/open_socket.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ccm::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kNextAddressAfter{300};

// One dial. Lookup and connections report here by callback and wake the coroutine, because a lookup
// in progress cannot be interrupted: a cancelled dial lets it end unobserved.
struct Attempt {
  explicit Attempt(const asio::any_io_executor& home)
      : executor(home), resolver(home), wake(home) {}

  asio::any_io_executor executor;
  tcp::resolver resolver;
  asio::steady_timer wake;
  bool resolved = false;
  error_code lookup_error;
  std::vector<tcp::endpoint> endpoints;
  std::vector<std::shared_ptr<tcp::socket>> sockets;
  std::shared_ptr<tcp::socket> winner;
  std::size_t failed = 0;
  std::string last_error;
};
using AttemptPtr = std::shared_ptr<Attempt>;

// Ends the attempt however its coroutine ends.
struct Abandon {
  explicit Abandon(AttemptPtr given) : attempt(std::move(given)) {}
  ~Abandon() {
    error_code ignored;
    attempt->resolver.cancel();
    for (const auto& socket : attempt->sockets) {
      if (socket != attempt->winner) socket->close(ignored);
    }
    attempt->sockets.clear();
  }
  Abandon(const Abandon&) = delete;
  Abandon& operator=(const Abandon&) = delete;
  AttemptPtr attempt;
};

// The order of getaddrinfo(), but the families alternate, so that a dead one costs little.
std::vector<tcp::endpoint> interleave(const tcp::resolver::results_type& results) {
  std::vector<tcp::endpoint> first;
  std::vector<tcp::endpoint> second;
  for (const auto& entry : results) {
    const tcp::endpoint endpoint = entry.endpoint();
    auto& list = first.empty() || endpoint.protocol() == first.front().protocol() ? first : second;
    if (std::find(list.begin(), list.end(), endpoint) == list.end()) list.push_back(endpoint);
  }
  std::vector<tcp::endpoint> merged;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) merged.push_back(first[i]);
    if (i < second.size()) merged.push_back(second[i]);
  }
  return merged;
}

void start_lookup(const AttemptPtr& attempt, const std::string& host, std::uint16_t port) {
  error_code not_literal;
  const auto address = asio::ip::make_address(host, not_literal);
  if (!not_literal) {
    attempt->endpoints.emplace_back(address, port);
    attempt->resolved = true;
    return;
  }
  attempt->resolver.async_resolve(
      host, std::to_string(port), tcp::resolver::numeric_service,
      [attempt](const error_code& error, const tcp::resolver::results_type& results) {
        attempt->resolved = true;
        attempt->lookup_error = error;
        if (!error) attempt->endpoints = interleave(results);
        attempt->wake.cancel();
      });
}

std::string endpoint_text(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  const std::string host = endpoint.address().is_v6() ? "[" + address + "]" : address;
  return host + ":" + std::to_string(endpoint.port());
}

void start_connection(const AttemptPtr& attempt, const tcp::endpoint& endpoint) {
  auto socket = std::make_shared<tcp::socket>(attempt->executor);
  attempt->sockets.push_back(socket);
  if (const error_code error = open_socket(*socket, endpoint.protocol())) {
    ++attempt->failed;
    attempt->last_error = endpoint_text(endpoint) + ": " + error.message();
    asio::post(attempt->executor, [attempt] { attempt->wake.cancel(); });
    return;
  }
  socket->async_connect(endpoint, [attempt, socket, endpoint](const error_code& error) {
    if (!error && !attempt->winner && socket->is_open()) {
      attempt->winner = socket;
    } else if (error != asio::error::operation_aborted) {
      ++attempt->failed;
      attempt->last_error = endpoint_text(endpoint) + ": " + error.message();
    }
    attempt->wake.cancel();
  });
}

// False when the coroutine was cancelled.
asio::awaitable<bool> sleep(AttemptPtr attempt, steady_clock::time_point until) {
  attempt->wake.expires_at(until);
  co_await attempt->wake.async_wait(asio::as_tuple(asio::use_awaitable));
  const auto state = co_await asio::this_coro::cancellation_state;
  co_return state.cancelled() == asio::cancellation_type::none;
}

Status failure(Code code, std::string message) {
  const auto error_class = code == Code::cancelled ? ErrorClass::none : ErrorClass::unavailable;
  return Status(code, error_class, std::move(message));
}

}  // namespace

void tune_socket(int descriptor) {
  const int on = 1;
  const int idle_seconds = 30;
  const int interval_seconds = 10;
  const int probes = 3;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval_seconds, sizeof interval_seconds);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

asio::awaitable<Result<std::shared_ptr<Transport>>> dial(asio::any_io_executor executor,
                                                         std::string host, std::uint16_t port,
                                                         Transport::TimePoint deadline) {
  const std::string where =
      (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
  const auto attempt = std::make_shared<Attempt>(executor);
  const Abandon abandon(attempt);
  start_lookup(attempt, host, port);
  while (!attempt->resolved) {
    if (!co_await sleep(attempt, deadline)) co_return failure(Code::cancelled, "cancelled");
    if (!attempt->resolved && steady_clock::now() >= deadline) {
      co_return failure(Code::deadline_exceeded, "timed out looking up the name " + host);
    }
  }
  if (attempt->lookup_error || attempt->endpoints.empty()) {
    co_return failure(Code::unavailable,
                      "cannot look up the name " + host + ": " + attempt->lookup_error.message());
  }

  std::size_t next = 0;
  auto next_start = steady_clock::now();
  while (!attempt->winner) {
    const auto now = steady_clock::now();
    if (now >= deadline) {
      const std::string detail = attempt->last_error.empty() ? "" : "; " + attempt->last_error;
      co_return failure(Code::deadline_exceeded, "timed out connecting to " + where + detail);
    }
    if (attempt->failed == attempt->endpoints.size()) {
      const bool same = attempt->last_error.rfind(where + ":", 0) == 0;
      const std::string target = same ? "" : where + " at ";
      co_return failure(Code::unavailable, "cannot connect to " + target + attempt->last_error);
    }
    if (next < attempt->endpoints.size() && (now >= next_start || attempt->failed == next)) {
      start_connection(attempt, attempt->endpoints[next]);
      ++next;
      next_start = now + kNextAddressAfter;
    }
    const bool more = next < attempt->endpoints.size();
    const auto until = more ? std::min(deadline, next_start) : deadline;
    if (!co_await sleep(attempt, until)) co_return failure(Code::cancelled, "cancelled");
  }
  tune_socket(attempt->winner->native_handle());
  co_return std::make_shared<Transport>(std::move(*attempt->winner));
}

}  // namespace ccm::net
