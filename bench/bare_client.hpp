// The yardstick: sends prepared requests to a server over a fixed number of keep-alive connections
// and does nothing else. Written on Beast, so that a slow client of this project cannot make the
// yardstick slow too.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::bench {

struct Server {
  std::string host;
  std::string port;
  std::string ca_pem;  // empty: without TLS
  std::string token;   // or a client certificate
  std::string certificate_pem;
  std::string private_key_pem;
};

inline constexpr const char* kJson = "application/json";
// Requested by Go's clients, and the cheapest for an API server to write.
inline constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";

struct BareRequest {
  std::string method;
  std::string path;
  std::string content_type;
  std::string body;
  std::string accept = kJson;
};

// Sends all requests over `connections` connections; each takes the next one after it has read its
// answer. Returns the time from the first connect to the last answer. Throws std::runtime_error on
// an answer other than 2xx.
std::chrono::nanoseconds send_all(const Server& server, const std::vector<BareRequest>& requests,
                                  std::size_t connections);

// One keep-alive connection. One thread at a time.
class Connection {
 public:
  // Connects. Throws boost::system::system_error.
  explicit Connection(const Server& server);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // One exchange; the body of a 2xx answer. Throws std::runtime_error otherwise.
  std::string send(const BareRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One exchange over a new connection.
std::string send_one(const Server& server, const BareRequest& request);

enum class Encoding { json, protobuf };

// Watches `path` (a watch URL) and hands each event, a line of JSON or a protobuf message, to
// `on_event` until that returns false.
void watch(const Server& server, const std::string& path, Encoding encoding,
           const std::function<bool(std::string_view event)>& on_event);

}  // namespace ccm::bench
