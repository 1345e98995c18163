// Internals of kube::Client: state shared by clients of one process, and the exchange of one
// request.
#pragma once

#include "kube/client.hpp"
#include "kube/credentials.hpp"
#include "net/http_client.hpp"
#include "net/rate_limiter.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <unordered_set>

namespace ccm::kube {

// Connections and credentials, shared by derived clients.
struct Connection {
  Connection(boost::asio::any_io_executor executor_, ClientConfig config_);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  boost::asio::any_io_executor executor;
  ClientConfig config;
  Credentials credentials;
  std::unique_ptr<net::HttpClient> http;  // made with the first credentials: loading the system's
                                          // certificate authorities for nothing takes 100 ms
  uint64_t tls_generation = 0;
  std::unordered_set<std::string> warnings;  // texts that were logged (API-107)
  std::size_t writes = 0;                    // under way, without those of clients that yield

  void use_current_tls();
  void log_warnings(const net::Response& response);
};

// One request as the API server sees it.
struct Call {
  std::string verb;
  std::string method = "GET";
  std::string path;  // with query, below the server's prefix
  std::string resource;
  std::string what;  // for messages: "get v1/nodes worker-1"
  std::string body;
  std::string content_type = "application/json";
  std::chrono::milliseconds timeout{0};
  std::size_t max_response_bytes = 0;
  int retries = 0;
  bool rate_limited = true;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::stop_token stop{};
  const char* accept = "application/json";
  bool stream = false;
};

// Either a complete answer or, for streams that began well, the stream.
struct Answer {
  net::Response response;
  std::unique_ptr<net::ResponseStream> stream;
};

struct Client::Impl {
  Impl(std::shared_ptr<Connection> connection_, ClientOptions options_);

  std::shared_ptr<Connection> connection;
  ClientOptions options;
  net::RateLimiter limiter;

  [[nodiscard]] Call make_call(std::string verb, std::string method, const CallOptions& call) const;
};

// The whole exchange with credentials, rate limit and retries (API-67..70, 74..76). Never throws.
boost::asio::awaitable<Result<Answer>> exchange(std::shared_ptr<Client::Impl> impl, Call call);

}  // namespace ccm::kube
