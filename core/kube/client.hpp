// kube::Client: requests to one API server with one identity, one rate limit and one user agent.
// Home thread: the one that runs `executor`. A process may have several clients on several threads
// (the Lease has its own); they share nothing. derive() makes further ones on the same thread that
// share connections and credentials. Bodies are JSON texts; kube::Object decodes them.
#pragma once

#include "kube/config.hpp"
#include "kube/resource.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace ccm::net {
class ResponseStream;
class WriteGate;
}  // namespace ccm::net

namespace ccm::kube {

// One request and its result, for metrics. Called on the home thread after each attempt.
struct CallRecord {
  std::string_view verb;                     // get, list, watch, create, update, patch, delete, raw
  std::string_view method;                   // GET, ...
  std::string_view resource;                 // "v1/nodes"; empty for raw
  unsigned http_status = 0;                  // 0 = no answer
  std::chrono::nanoseconds duration{0};      // without the wait for the rate limiter
  std::chrono::nanoseconds limiter_wait{0};  // before the first attempt
  std::size_t request_bytes = 0;             // in the body
  std::size_t response_bytes = 0;            // in the body; 0 for a stream
  bool stream = false;  // the answer is read as it arrives: its size is unknown
  bool retry = false;   // an attempt after the first
};

struct ClientOptions {
  double qps = 20;  // API-67; negative or 0 = no limit
  int burst = 30;
  std::string user_agent;                     // complete (API-106, HOST-133)
  std::chrono::milliseconds timeout{60'000};  // for each attempt, watches excepted (API-133)
  int max_retries = 10;                       // API-68
  std::function<void(const CallRecord&)> observer;
  // For everything but safe methods (`net::is_safe_method`): asked right before the first byte
  // leaves, after rate limiter, retries and handshake. Null = always open.
  std::shared_ptr<net::WriteGate> gate;
  // A request lets the writes of other clients on these connections go first, for at most this
  // long. For requests that may be late, such as Events.
  std::chrono::milliseconds yield_to_writes{0};
};

struct CallOptions {
  std::chrono::milliseconds timeout{0};  // for each attempt; 0 = the client's
  int max_retries = -1;                  // -1 = the client's; 0 = a single attempt
  bool rate_limited = true;
  // The limit of the answer; 0 = 8 MiB for an object, 64 MiB for list().
  std::size_t max_response_bytes = 0;
  // For the whole call. A wait that would go beyond it ends with the last answer instead.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  // Requested on the home thread: the call ends as cancelled and sends nothing; a write whose first
  // byte has left (with a gate) ends with its answer.
  std::stop_token stop{};
};

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  int64_t limit = 0;  // 0 = all at once
  std::string continue_token;
  std::string resource_version;        // never sent together with continue_token (API-132)
  std::string resource_version_match;  // Exact, NotOlderThan
  bool protobuf = false;               // open_list: ask for protobuf first, then for JSON
};

struct WatchOptions {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  bool bookmarks = true;
  bool send_initial_events = false;      // streamed list (API-38)
  bool protobuf = false;                 // ask for protobuf first, then for JSON
  std::chrono::milliseconds timeout{0};  // until the answer's head; 0 = the client's
};

enum class PatchType { json, merge, strategic_merge, apply };  // API-47

struct WriteOptions {
  std::string subresource;  // "status"
  std::string field_manager;
  bool answer_metadata = false;  // patches: PartialObjectMetadata instead of the object
};

struct DeleteOptions {
  std::string uid;               // precondition (API-22)
  std::string resource_version;  // precondition
};

// One call about an object, or about a page of them; what its verb has no use for stays empty.
struct ObjectRequest {
  enum class Verb { get, list, create, update, patch, remove };

  Verb verb = Verb::get;
  Resource resource;
  std::string namespace_name{};
  std::string name{};
  std::string body{};
  PatchType patch_type{};
  // A `create` with a subresource is a POST to that of the object, as TokenRequest needs it
  // (API-84): serviceaccounts/NAME/token.
  WriteOptions write{};
  DeleteOptions remove{};
  ListOptions page{};  // for a list, whole in memory; informers read pages as streams instead
  CallOptions call{};
};

class Client {
 public:
  // `executor` must run on one thread. Credentials are read and checked by the first request, or by
  // check(). Copying is cheap: copies are the same client.
  Client(boost::asio::any_io_executor executor, ClientConfig config, ClientOptions options);

  // Another user agent and a separate rate limit on the same connections and credentials (HOST-82,
  // HOST-128).
  [[nodiscard]] Client derive(ClientOptions options) const;

  // Status of certificates, keys, CA, token file and proxy, without any connection: one clear line.
  [[nodiscard]] Status check() const;

  [[nodiscard]] const ClientConfig& config() const;
  [[nodiscard]] boost::asio::any_io_executor executor() const;

  // Name what you give these functions before the co_await ("Coroutines and GCC 12" in
  // docs/provider-authors.md).
  //
  // The result is the server's answer: the object, the list, or a Status for
  // deletions. Failures are classified by the Status' reason first, then by the HTTP code (API-12);
  // Status::reason() is the server's reason ("Conflict", "AlreadyExists", "NotFound", "Expired",
  // "Invalid", "TooManyRequests", ...), "HTTP502" for an answer that gives none, and where there
  // was no answer "ConnectFailed" or the transport's word for it. client_status.cpp has the table
  // (kMeanings) of code and class that each reason becomes; retry_after() is as advised (API-75), a
  // minute at most.
  // Answers with 429 or 5xx and a Retry-After are retried (API-68) while there is time until
  // CallOptions::deadline, GETs after lost connections too (API-69); writes are never repeated
  // after a connection error (API-70). A write that met a shut
  // gate is failed_precondition "NotLeading" and has not left this process.
  boost::asio::awaitable<Result<std::string>> send(ObjectRequest request);

  // Any path below the server's prefix, e.g. "/healthz" (HOST-84) or a review (API-119, 121).
  boost::asio::awaitable<Result<std::string>> raw(std::string method, std::string path_and_query,
                                                  std::string body, const CallOptions& call);

  // The answer to a list or a watch as a stream whose head was a success. Watches are not held
  // by the rate limiter and have no time limit (API-37). Feed a ListReader or a WatchReader
  // (watch_decoder.hpp) with it; the head's Content-Type says of which encoding.
  boost::asio::awaitable<Result<std::unique_ptr<net::ResponseStream>>> open_list(
      Resource resource, std::string namespace_name, ListOptions options);
  boost::asio::awaitable<Result<std::unique_ptr<net::ResponseStream>>> open_watch(
      Resource resource, std::string namespace_name, WatchOptions options);

  struct Impl;

 private:
  explicit Client(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kJsonType = "application/json";

}  // namespace ccm::kube
