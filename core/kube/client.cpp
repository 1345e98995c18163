#include "kube/client.hpp"

#include "base/at_end.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "kube/client_metrics.hpp"
#include "kube/client_status.hpp"
#include "kube/credentials.hpp"
#include "kube/json_text.hpp"
#include "net/coroutines.hpp"
#include "net/http_client.hpp"
#include "net/rate_limiter.hpp"

#include <ccm/percent_encode.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <random>
#include <unordered_set>

namespace ccm::kube {
namespace asio = boost::asio;

namespace {

using Clock = std::chrono::steady_clock;
using Stream = std::unique_ptr<net::ResponseStream>;

constexpr std::size_t kWarningsLimit = 1024;
constexpr std::size_t kErrorBodyLimit = 1u << 20;
constexpr auto kReconnectDelay = std::chrono::seconds(1);
// Less than the time in which the Lease has to be renewed.
constexpr auto kTrialTimeout = std::chrono::seconds(2);
// A server with streamed lists may still answer with the object.
constexpr const char* kMetadataOnly =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr std::size_t kLargestObject = 8u << 20;
constexpr std::size_t kLargestList = 64u << 20;
// As Go's clients ask. Custom resources come as JSON.
constexpr const char* kProtobufOrJson = "application/vnd.kubernetes.protobuf,application/json";

// Not zero, which would be no limit at all.
std::chrono::milliseconds left_until(Clock::time_point deadline) {
  using std::chrono::milliseconds;
  if (deadline == Clock::time_point::max()) return milliseconds::max();
  return std::max(std::chrono::ceil<milliseconds>(deadline - Clock::now()), milliseconds(1));
}

// The text between the quotes of `299 - "text"`.
std::string warning_text(std::string_view value) {
  const std::size_t open = value.find('"');
  const std::size_t close = value.rfind('"');
  if (!value.starts_with("299") || open == std::string_view::npos || close <= open) return {};
  return std::string(value.substr(open + 1, close - open - 1));
}

net::ClientOptions http_options(const ClientConfig& config, net::TlsOptions tls) {
  net::ClientOptions options;
  options.tls = std::move(tls);
  options.proxy_url = config.proxy_url;
  options.proxy_from_environment = config.proxy_url.empty();
  return options;
}

// A credential that is not valid gets a 401, whatever its user would be allowed.
asio::awaitable<Status> try_credential(asio::any_io_executor executor, std::string server,
                                       net::ClientOptions options, std::string authorization) {
  options.user_agent = user_agent("cloud-controller-manager", "credentials");
  net::HttpClient client(executor, std::move(options));
  net::Request request;
  request.url = server + "/api";
  request.timeout = kTrialTimeout;
  if (!authorization.empty()) request.headers.push_back({"Authorization", authorization});
  const Result<net::Response> answer = co_await client.send(std::move(request));
  if (!answer.ok()) co_return answer.status();
  if (answer->status == 401) {
    co_return Status(Code::unauthenticated, ErrorClass::auth, "the API server refuses it (401)");
  }
  if (answer->status >= 500 || answer->status == 429) {
    std::string message = "the API server answers with " + std::to_string(answer->status);
    co_return Status(Code::unavailable, ErrorClass::unavailable, message);
  }
  co_return Status();
}

}  // namespace

// Connections and credentials, shared by derived clients.
struct Connection {
  Connection(asio::any_io_executor executor_, ClientConfig config_)
      : executor(executor_),
        config(config_),
        credentials(executor_, config_, CredentialTiming(),
                    [executor_, config_](net::TlsOptions tls, std::string authorization) {
                      net::ClientOptions options = http_options(config_, std::move(tls));
                      return try_credential(executor_, config_.server, std::move(options),
                                            std::move(authorization));
                    }) {
    ++TransportCounts::of_process().present;
    ++TransportCounts::of_process().made;
  }
  ~Connection() { --TransportCounts::of_process().present; }
  Connection& operator=(Connection&&) = delete;

  void use_current_tls() {
    if (tls_generation == credentials.tls_generation()) return;
    tls_generation = credentials.tls_generation();
    if (http) return http->set_tls(credentials.tls());
    http = std::make_unique<net::HttpClient>(executor, http_options(config, credentials.tls()));
  }

  void log_warnings(const net::Response& response) {
    for (const net::Header& header : response.headers) {
      if (!header.is("warning")) continue;
      const std::string text = warning_text(header.value);
      if (text.empty() || warnings.size() >= kWarningsLimit) continue;
      if (warnings.insert(text).second) log::warning("The API server warns", {{"warning", text}});
    }
  }

  asio::any_io_executor executor;
  ClientConfig config;
  Credentials credentials;
  std::unique_ptr<net::HttpClient> http;  // made with the first credentials: loading the system's
                                          // certificate authorities for nothing takes 100 ms
  uint64_t tls_generation = 0;
  std::unordered_set<std::string> warnings;  // texts that were logged (API-107)
  std::size_t writes = 0;                    // under way, without those of clients that yield
};

namespace {

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
  Stream stream;
};

}  // namespace

struct Client::Impl {
  Impl(std::shared_ptr<Connection> connection_, ClientOptions options_)
      : connection(std::move(connection_)),
        options(std::move(options_)),
        limiter(connection->executor, options.qps, options.burst) {}

  [[nodiscard]] Call make_call(std::string verb, std::string method,
                               const CallOptions& call) const {
    Call result;
    result.verb = std::move(verb);
    result.method = std::move(method);
    result.timeout = call.timeout.count() > 0 ? call.timeout : options.timeout;
    result.retries = call.max_retries >= 0 ? call.max_retries : options.max_retries;
    result.rate_limited = call.rate_limited;
    result.max_response_bytes =
        call.max_response_bytes > 0 ? call.max_response_bytes : kLargestObject;
    result.deadline = call.deadline;
    result.stop = call.stop;
    return result;
  }

  std::shared_ptr<Connection> connection;
  ClientOptions options;
  net::RateLimiter limiter;
};

namespace {

net::Request build_request(const Client::Impl& impl, const Call& call) {
  const Connection& connection = *impl.connection;
  net::Request request;
  request.method = call.method;
  request.url = connection.config.server + call.path;
  request.max_response_bytes = call.max_response_bytes;
  request.timeout = std::min(call.timeout, left_until(call.deadline));
  request.body = call.body;  // a copy: a retry needs it again
  if (!net::is_safe_method(call.method)) request.gate = impl.options.gate;
  request.headers.push_back({"Accept", call.accept});
  if (!impl.options.user_agent.empty()) {
    request.headers.push_back({"User-Agent", impl.options.user_agent});
  }
  if (!call.body.empty()) request.headers.push_back({"Content-Type", call.content_type});
  const std::string& authorization = connection.credentials.authorization();
  if (!authorization.empty()) request.headers.push_back({"Authorization", authorization});
  for (auto& [name, value] : impersonation_headers(connection.config.impersonate)) {
    request.headers.push_back({std::move(name), std::move(value)});
  }
  return request;
}

asio::awaitable<Result<Answer>> open_stream(std::shared_ptr<Connection> connection,
                                            net::Request request) {
  Answer answer;
  auto opened = co_await connection->http->open(std::move(request));
  if (!opened.ok()) co_return opened.status();
  std::unique_ptr<net::ResponseStream> stream = std::move(*opened);
  answer.response = stream->head();
  if (answer.response.status < 300) {
    answer.stream = std::move(stream);
    co_return answer;
  }
  while (answer.response.body.size() < kErrorBodyLimit) {
    Result<std::string> piece = co_await stream->read(std::chrono::milliseconds(10'000));
    if (!piece.ok() || piece->empty()) break;
    answer.response.body += *piece;
  }
  co_return answer;
}

asio::awaitable<Result<Answer>> attempt(std::shared_ptr<Client::Impl> impl, const Call& call,
                                        std::chrono::nanoseconds limiter_wait, bool retry) {
  net::Request request = build_request(*impl, call);
  const std::shared_ptr<Connection> connection = impl->connection;
  const Clock::time_point start = Clock::now();
  Result<Answer> result = Answer();
  if (call.stream) {
    result = co_await open_stream(connection, std::move(request));
  } else {
    Result<net::Response> response = co_await connection->http->send(std::move(request));
    if (response.ok()) {
      result->response = std::move(*response);
    } else {
      result = response.status();
    }
  }
  if (result.ok()) connection->log_warnings(result->response);
  if (impl->options.observer) {
    CallRecord record;
    record.verb = call.verb;
    record.method = call.method;
    record.resource = call.resource;
    record.http_status = result.ok() ? result->response.status : 0;
    record.duration = Clock::now() - start;
    record.limiter_wait = limiter_wait;
    record.request_bytes = call.body.size();
    record.response_bytes = result.ok() ? result->response.body.size() : 0;
    record.stream = result.ok() && result->stream != nullptr;
    record.retry = retry;
    impl->options.observer(record);
  }
  co_return result;
}

// A function of its own and not in the coroutine ("Coroutines and GCC 12" in
// docs/provider-authors.md).
void log_retry(const Call& call, std::chrono::milliseconds delay) {
  if (const auto v = log::v(2))
    v.info("Retrying request", {{"request", call.what}, {"after", delay}});
}

// Whether and when to retry; nothing = the answer stands.
std::optional<std::chrono::milliseconds> retry_delay(const Call& call,
                                                     const Result<Answer>& result) {
  if (!result.ok()) {
    // Only reads, and only when a connection was lost (API-69, 70); an absent server is for the
    // caller's back-off.
    const bool lost = result.status().code() == Code::unavailable &&
                      result.status().reason() != net::kConnectFailed;
    if (call.method != "GET" || !lost || call.verb == "watch") return std::nullopt;
    return kReconnectDelay;
  }
  const unsigned status = result->response.status;
  if (status != 429 && status < 500) return std::nullopt;
  if (call.verb == "watch") return std::nullopt;
  return retry_advice(result->response.header("Retry-After"));
}

asio::awaitable<void> yield_to_writes(std::shared_ptr<Connection> connection,
                                      std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds kYield{10};
  const Clock::time_point end = Clock::now() + limit;
  while (connection->writes > 0 && Clock::now() < end) {
    co_await net::pause(connection->executor, kYield);
  }
}

// Beyond its deadline nobody waits for the call; the caller now knows when to retry.
bool time_for(const Call& call, std::chrono::milliseconds delay) {
  return call.deadline == Clock::time_point::max() || Clock::now() + delay < call.deadline;
}

// A function of its own, too.
Status too_late(const Call& call) {
  return {Code::deadline_exceeded, ErrorClass::unavailable,
          call.what + ": not sent, since its time was over before its turn came"};
}

asio::awaitable<Result<Answer>> attempts(std::shared_ptr<Client::Impl> impl, const Call& call) {
  const std::shared_ptr<Connection> connection = impl->connection;
  const auto limit = impl->options.yield_to_writes;
  if (limit.count() > 0) co_await yield_to_writes(connection, limit);
  const Clock::time_point asked = Clock::now();
  if (call.rate_limited) {
    Status admitted = co_await impl->limiter.acquire();
    if (!admitted.ok()) co_return admitted;
  }
  std::chrono::nanoseconds limiter_wait = Clock::now() - asked;
  bool refreshed = false;
  bool again = false;
  for (int tries = 0;; ++tries) {
    if (!time_for(call, std::chrono::milliseconds(0))) co_return too_late(call);
    Status ready = co_await connection->credentials.refresh();
    if (!ready.ok()) co_return ready;
    connection->use_current_tls();
    const std::string authorization = connection->credentials.authorization();
    const uint64_t generation = connection->credentials.tls_generation();
    Result<Answer> result = co_await attempt(impl, call, limiter_wait, again);
    again = true;
    limiter_wait = std::chrono::nanoseconds(0);
    if (result.ok() && result->response.status == 401) {
      // It was not carried out, so a retry with a renewed credential is safe (API-76).
      const bool renewable = connection->credentials.rejected(authorization, generation);
      if (!renewable || refreshed) co_return result;
      refreshed = true;
      Status renewed = co_await connection->credentials.refresh();
      const bool changed = authorization != connection->credentials.authorization() ||
                           generation != connection->credentials.tls_generation();
      if (!renewed.ok() || !changed) co_return result;
      continue;
    }
    const std::optional<std::chrono::milliseconds> delay = retry_delay(call, result);
    if (!delay || tries >= call.retries || !time_for(call, *delay)) co_return result;
    log_retry(call, *delay);
    co_await net::pause(connection->executor, *delay);
  }
}

Status failure(const Call& call, const net::Response& response) {
  Status status = status_of_answer(response.status, response.body, response.header("Retry-After"));
  status.with_context(call.what);
  if (const std::string_view audit = response.header("Audit-Id"); !audit.empty()) {
    if (const auto v = log::v(2)) v.info("Request failed", {{"err", status}, {"auditID", audit}});
  }
  return status;
}

// The whole exchange with credentials, rate limit and retries (API-67..70, 74..76). Never throws.
// `Wanted`: the answer's body, or a stream of it.
template <typename Wanted>
asio::awaitable<Result<Wanted>> exchange(std::shared_ptr<Client::Impl> impl, Call call) {
  const bool yields = impl->options.yield_to_writes.count() != 0;
  const std::size_t writes = yields || net::is_safe_method(call.method) ? 0 : 1;
  impl->connection->writes += writes;
  const AtEnd counted([&] { impl->connection->writes -= writes; });
  try {
    Result<Answer> result = co_await net::until_stopped(attempts(impl, call), call.stop);
    if (!result.ok()) co_return result.status();
    if (!result->stream && result->response.status >= 300)
      co_return failure(call, result->response);
    if constexpr (std::is_same_v<Wanted, Stream>) {
      co_return std::move(result->stream);
    } else {
      co_return std::move(result->response.body);
    }
  } catch (const boost::system::system_error& error) {
    // The awaiting coroutine was cancelled.
    co_return Status(Code::cancelled, call.what + ": " + error.code().message());
  }
}

// "?a=b&c=d", empty without parameters.
class Query {
 public:
  void add(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_.append(key).append("=").append(percent_encode(value));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Directs the call at an object, or without a name at all of them; `id` is that of the resource.
void direct(Call& call, std::string id, std::string path, const std::string& namespace_name,
            const std::string& name) {
  call.resource = std::move(id);
  call.path = std::move(path);
  call.what = call.verb + " " + call.resource;
  if (name.empty() && namespace_name.empty()) return;
  call.what += " " + namespace_name;
  if (!namespace_name.empty() && !name.empty()) call.what += "/";
  call.what += name;
}

// In the order of PatchType.
constexpr const char* kPatchTypes[] = {
    "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json", "application/apply-patch+yaml"};

std::string delete_body(const DeleteOptions& options) {
  std::string body = R"({"kind":"DeleteOptions","apiVersion":"v1")";
  std::string conditions = "{";
  append_json_member(conditions, "uid", options.uid);
  append_json_member(conditions, "resourceVersion", options.resource_version);
  if (conditions != "{") body += ",\"preconditions\":" + conditions + "}";
  return body + "}";
}

Query list_query(const ListOptions& options) {
  Query query;
  query.add("labelSelector", options.label_selector);
  query.add("fieldSelector", options.field_selector);
  if (options.limit > 0) query.add("limit", std::to_string(options.limit));
  if (!options.continue_token.empty()) {  // API-18, 132
    query.add("continue", options.continue_token);
    return query;
  }
  query.add("resourceVersion", options.resource_version);
  if (!options.resource_version.empty()) {  // API-16
    query.add("resourceVersionMatch", options.resource_version_match);
  }
  return query;
}

Query watch_query(const WatchOptions& options) {
  thread_local std::minstd_rand random(std::random_device{}());
  std::uniform_int_distribution<int> seconds(300, 600);  // API-31
  Query query;
  query.add("watch", "true");
  query.add("labelSelector", options.label_selector);
  query.add("fieldSelector", options.field_selector);
  query.add("resourceVersion", options.resource_version);
  if (options.bookmarks) query.add("allowWatchBookmarks", "true");
  query.add("timeoutSeconds", std::to_string(seconds(random)));
  if (options.send_initial_events) {  // API-38, 39
    query.add("sendInitialEvents", "true");
    query.add("resourceVersionMatch", "NotOlderThan");
  }
  return query;
}

struct VerbTexts {
  const char* verb;
  const char* method;
};

// In the order of ObjectRequest::Verb.
constexpr VerbTexts kVerbs[] = {{"get", "GET"},    {"list", "GET"},    {"create", "POST"},
                                {"update", "PUT"}, {"patch", "PATCH"}, {"delete", "DELETE"}};

}  // namespace

Client::Client(asio::any_io_executor executor, ClientConfig config, ClientOptions options)
    : impl_(std::make_shared<Impl>(
          std::make_shared<Connection>(std::move(executor), std::move(config)),
          std::move(options))) {}
Client::Client(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client Client::derive(ClientOptions options) const {
  ++TransportCounts::of_process().shared;
  return Client(std::make_shared<Impl>(impl_->connection, std::move(options)));
}

Status Client::check() const {
  Connection& connection = *impl_->connection;
  if (Status status = connection.credentials.load(); !status.ok()) return status;
  connection.use_current_tls();
  return connection.http->check();
}

const ClientConfig& Client::config() const { return impl_->connection->config; }
asio::any_io_executor Client::executor() const { return impl_->connection->executor; }

asio::awaitable<Result<std::string>> Client::send(ObjectRequest request) {
  using Verb = ObjectRequest::Verb;
  const auto& [verb, method] = kVerbs[static_cast<std::size_t>(request.verb)];
  Call call = impl_->make_call(verb, method, request.call);
  call.body = std::move(request.body);
  std::string id = request.resource.id();
  std::string subresource = std::move(request.write.subresource);
  Query query;
  switch (request.verb) {
    case Verb::get:
      subresource.clear();
      break;
    case Verb::list:
      request.name.clear();
      query = list_query(request.page);
      if (request.call.max_response_bytes == 0) call.max_response_bytes = kLargestList;
      break;
    case Verb::create:
      if (subresource.empty()) {
        request.name.clear();
        query.add("fieldManager", request.write.field_manager);
      } else {
        id += "/" + subresource;
      }
      break;
    case Verb::patch:
      call.content_type = kPatchTypes[static_cast<std::size_t>(request.patch_type)];
      if (request.write.answer_metadata) call.accept = kMetadataOnly;
      query.add("fieldManager", request.write.field_manager);
      break;
    case Verb::update:
      query.add("fieldManager", request.write.field_manager);
      break;
    case Verb::remove:
      subresource.clear();
      call.body = delete_body(request.remove);
      break;
  }
  std::string path = request.resource.path(request.namespace_name, request.name, subresource);
  direct(call, std::move(id), path + query.text(), request.namespace_name, request.name);
  return exchange<std::string>(impl_, std::move(call));
}

asio::awaitable<Result<std::string>> Client::raw(std::string method, std::string path_and_query,
                                                 std::string body,
                                                 const CallOptions& call_options) {
  Call call = impl_->make_call("raw", std::move(method), call_options);
  call.what = call.method + " " + path_and_query;
  call.path = std::move(path_and_query);
  call.body = std::move(body);
  return exchange<std::string>(impl_, std::move(call));
}

asio::awaitable<Result<Stream>> Client::open_list(Resource resource, std::string namespace_name,
                                                  ListOptions options) {
  Call call = impl_->make_call("list", "GET", CallOptions());
  direct(call, resource.id(), resource.path(namespace_name) + list_query(options).text(),
         namespace_name, {});
  if (options.protobuf) call.accept = kProtobufOrJson;
  call.stream = true;
  return exchange<Stream>(impl_, std::move(call));
}

asio::awaitable<Result<Stream>> Client::open_watch(Resource resource, std::string namespace_name,
                                                   WatchOptions options) {
  Call call = impl_->make_call("watch", "GET", CallOptions());
  if (options.timeout.count() > 0) call.timeout = options.timeout;
  direct(call, resource.id(), resource.path(namespace_name) + watch_query(options).text(),
         namespace_name, {});
  call.rate_limited = false;  // API-37
  if (options.protobuf) call.accept = kProtobufOrJson;
  call.stream = true;
  return exchange<Stream>(impl_, std::move(call));
}

}  // namespace ccm::kube
