#include "net/connector.hpp"

#include "base/at_end.hpp"
#include "net/http_exchange.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace ccm::net {

namespace asio = boost::asio;
using asio::ip::address;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kNextAddressAfter{300};
constexpr std::chrono::seconds kConnectTimeout{30};

struct Lookup;

// One dial. Lookup and connections report here by callback and wake the coroutine, because a lookup
// in progress cannot be interrupted: a cancelled dial lets it end unobserved.
struct Attempt {
  explicit Attempt(const asio::any_io_executor& home) : executor(home), wake(home) {}

  asio::any_io_executor executor;
  std::shared_ptr<Lookup> lookup;  // until it ended
  asio::steady_timer wake;
  bool resolved = false;
  error_code lookup_error;
  std::vector<address> addresses;
  std::vector<std::shared_ptr<tcp::socket>> sockets;
  std::shared_ptr<tcp::socket> winner;
  std::size_t failed = 0;
  std::string last_error;
};
using AttemptPtr = std::shared_ptr<Attempt>;

// A lookup for all dials that need this name meanwhile. Asio looks up one name at a time, so each
// dial with a lookup of its own would make other hosts wait once more for a DNS server that does
// not answer. Only dials own it, so it is cancelled when the last of them gives up.
struct Lookup {
  explicit Lookup(const asio::any_io_executor& home) : resolver(home) {}

  tcp::resolver resolver;
  std::vector<std::weak_ptr<Attempt>> waiting;
};

struct LookupsOfLoop final : asio::execution_context::service {
  static inline asio::execution_context::id id;
  explicit LookupsOfLoop(asio::execution_context& loop) : service(loop) {}
  void shutdown() override {}

  std::map<std::string, std::weak_ptr<Lookup>> of_host;  // expired ones have ended
};

void abandon(Attempt& attempt) {
  error_code ignored;
  attempt.lookup.reset();
  for (const auto& socket : attempt.sockets) {
    if (socket != attempt.winner) socket->close(ignored);
  }
  attempt.sockets.clear();
}

// The order of getaddrinfo(), but the families alternate, so that a dead one costs little.
std::vector<address> interleave(const tcp::resolver::results_type& results) {
  std::vector<address> first;
  std::vector<address> second;
  for (const auto& entry : results) {
    const address found = entry.endpoint().address();
    auto& list = first.empty() || found.is_v6() == first.front().is_v6() ? first : second;
    if (std::find(list.begin(), list.end(), found) == list.end()) list.push_back(found);
  }
  std::vector<address> merged;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) merged.push_back(first[i]);
    if (i < second.size()) merged.push_back(second[i]);
  }
  return merged;
}

// Shares a lookup of the host that is under way.
void start_lookup(const AttemptPtr& attempt, const std::string& host) {
  error_code not_literal;
  const address literal = asio::ip::make_address(host, not_literal);
  if (!not_literal) {
    attempt->addresses.push_back(literal);
    attempt->resolved = true;
    return;
  }
  auto& loop = asio::query(attempt->executor, asio::execution::context);
  auto& of_host = asio::use_service<LookupsOfLoop>(loop).of_host;
  std::erase_if(of_host, [](const auto& entry) { return entry.second.expired(); });
  attempt->lookup = of_host[host].lock();
  if (attempt->lookup) return attempt->lookup->waiting.push_back(attempt);
  const auto lookup = std::make_shared<Lookup>(attempt->executor);
  attempt->lookup = lookup;
  lookup->waiting.push_back(attempt);
  of_host[host] = lookup;
  auto ended = [weak = std::weak_ptr(lookup)](const error_code& error,
                                              const tcp::resolver::results_type& results) {
    const auto self = weak.lock();
    if (!self) return;
    for (const auto& waiting : self->waiting) {
      const AttemptPtr dial = waiting.lock();
      if (!dial) continue;
      dial->lookup.reset();
      dial->resolved = true;
      dial->lookup_error = error;
      if (!error) dial->addresses = interleave(results);
      dial->wake.cancel();
    }
  };
  lookup->resolver.async_resolve(host, "", std::move(ended));
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
  const AtEnd abandoned([attempt] { abandon(*attempt); });
  start_lookup(attempt, host);
  while (!attempt->resolved) {
    if (!co_await sleep(attempt, deadline)) co_return failure(Code::cancelled, "cancelled");
    if (!attempt->resolved && steady_clock::now() >= deadline) {
      co_return failure(Code::deadline_exceeded, "timed out looking up the name " + host);
    }
  }
  if (attempt->lookup_error || attempt->addresses.empty()) {
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
    if (attempt->failed == attempt->addresses.size()) {
      const std::string target = attempt->last_error.starts_with(where + ":") ? "" : where + " at ";
      co_return failure(Code::unavailable, "cannot connect to " + target + attempt->last_error);
    }
    if (next < attempt->addresses.size() && (now >= next_start || attempt->failed == next)) {
      start_connection(attempt, tcp::endpoint(attempt->addresses[next], port));
      ++next;
      next_start = now + kNextAddressAfter;
    }
    const auto until = next < attempt->addresses.size() ? std::min(deadline, next_start) : deadline;
    if (!co_await sleep(attempt, until)) co_return failure(Code::cancelled, "cancelled");
  }
  tune_socket(attempt->winner->native_handle());
  co_return std::make_shared<Transport>(std::move(*attempt->winner));
}

Connector::Connector(asio::any_io_executor executor, const ClientOptions& options)
    : executor_(std::move(executor)), handshake_timeout_(options.tls_handshake_timeout) {
  set_tls(options.tls);
  Result<ProxySettings> proxies =
      ProxySettings::make(options.proxy_url, options.proxy_from_environment,
                          [](const char* name) -> const char* { return std::getenv(name); });
  proxy_status_ = proxies.status();
  if (proxies.ok()) proxies_ = std::move(proxies).value();
}

void Connector::set_tls(const TlsOptions& tls) {
  Result<std::shared_ptr<TlsContext>> made = TlsContext::make(tls);
  tls_status_ = made.status();
  tls_ = made.ok() ? *made : nullptr;
}

static Status tls_failure(const Transport& transport, IoError error, const std::string& authority) {
  if (transport.verification_failed()) {
    return Status(Code::unauthenticated, ErrorClass::auth,
                  "cannot trust " + authority + ": " + transport.error_text());
  }
  if (error != IoError::tls) return io_failure(transport, error, "in the TLS handshake");
  const std::string& text = transport.error_text();
  if (refuses_our_certificate(text)) return io_failure(transport, error, "in the TLS handshake");
  if (text.find("wrong version number") != std::string::npos ||
      text.find("http request") != std::string::npos) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  authority + " does not speak TLS (" + text + ")");
  }
  return Status(Code::unavailable, ErrorClass::unavailable, "TLS handshake failed: " + text);
}

asio::awaitable<Status> Connector::start_tls(std::shared_ptr<Transport> transport,
                                             std::shared_ptr<TlsContext> tls, std::string host,
                                             std::string key, TimePoint deadline) {
  Result<TlsSession> session = tls->connect_to(host, key);
  if (!session.ok()) co_return session.status();
  transport->set_deadline(std::min(deadline, steady_clock::now() + handshake_timeout_));
  const IoResult result = co_await transport->handshake(std::move(*session));
  if (result.error == IoError::none) co_return Status();
  co_return tls_failure(*transport, result.error, key);
}

asio::awaitable<Result<std::unique_ptr<Connection>>> Connector::connect(Url target,
                                                                        TimePoint deadline) {
  if (!proxy_status_.ok()) co_return proxy_status_;
  const std::optional<Url> proxy = proxies_.proxy_for(target);
  const bool secure = target.scheme == "https";
  const bool proxy_secure = proxy && proxy->scheme == "https";
  const std::shared_ptr<TlsContext> tls = tls_;
  if (!tls && (secure || proxy_secure)) co_return tls_status_;

  const Url next = proxy.value_or(target);
  const auto dial_deadline = std::min(deadline, steady_clock::now() + kConnectTimeout);
  Result<std::shared_ptr<Transport>> dialed =
      co_await dial(executor_, next.host, next.port, dial_deadline);
  if (!dialed.ok()) {
    co_return proxy ? dialed.status().with_context("proxy") : dialed.status();
  }
  auto connection = std::make_unique<Connection>();
  connection->transport = *dialed;
  Status status;
  if (proxy_secure) {
    const std::string key = next.authority();
    status = co_await start_tls(connection->transport, tls, next.host, key, deadline);
    if (!status.ok()) co_return status.with_context("proxy");
  }
  if (proxy) {
    connection->transport->set_deadline(dial_deadline);
    if (proxy->scheme == "socks5" || proxy->scheme == "socks5h") {
      status = co_await socks5_tunnel(connection->transport, next, target);
    } else if (secure) {
      status = co_await connect_tunnel(connection->transport, next, target);
    } else {
      connection->absolute_form = true;
      connection->proxy_authorization = basic_authorization(next);
    }
    if (!status.ok()) co_return status.with_context("proxy " + next.authority());
  }
  if (secure) {
    const std::string key = target.authority();
    status = co_await start_tls(connection->transport, tls, target.host, key, deadline);
    if (!status.ok()) co_return status;
  }
  co_return connection;
}

}  // namespace ccm::net
