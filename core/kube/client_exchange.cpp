#include "base/at_end.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "kube/client_impl.hpp"
#include "kube/transport_counts.hpp"
#include "net/coroutines.hpp"

#include <ccm/percent_encode.hpp>
#include <ccm/trim.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>

namespace ccm::kube {
namespace asio = boost::asio;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWarningsLimit = 1024;
constexpr std::size_t kErrorBodyLimit = 1u << 20;
constexpr auto kReconnectDelay = std::chrono::seconds(1);
// Less than the time in which the Lease has to be renewed.
constexpr auto kTrialTimeout = std::chrono::seconds(2);

asio::awaitable<void> pause(asio::any_io_executor executor, std::chrono::milliseconds delay) {
  asio::steady_timer timer(executor, delay);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

void add_impersonation(std::vector<net::Header>& headers, const Impersonation& as) {  // API-85
  if (as.user.empty()) return;
  headers.push_back({"Impersonate-User", as.user});
  if (!as.uid.empty()) headers.push_back({"Impersonate-Uid", as.uid});
  for (const std::string& group : as.groups) headers.push_back({"Impersonate-Group", group});
  for (const auto& [key, values] : as.extra) {
    for (const std::string& value : values) {
      headers.push_back({"Impersonate-Extra-" + percent_encode(key), value});
    }
  }
}

// Not zero, which would be no limit at all.
std::chrono::milliseconds left_until(Clock::time_point deadline) {
  using std::chrono::milliseconds;
  if (deadline == Clock::time_point::max()) return milliseconds::max();
  return std::max(std::chrono::ceil<milliseconds>(deadline - Clock::now()), milliseconds(1));
}

bool is_read(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

net::Request build_request(const Client::Impl& impl, const Call& call) {
  const Connection& connection = *impl.connection;
  net::Request request;
  request.method = call.method;
  request.url = connection.config.server + call.path;
  request.max_response_bytes = call.max_response_bytes;
  request.timeout = std::min(call.timeout, left_until(call.deadline));
  request.body = call.body;  // a copy: a retry needs it again
  if (!is_read(call.method)) request.gate = impl.options.gate;
  request.headers.push_back({"Accept", call.accept});
  if (!impl.options.user_agent.empty()) {
    request.headers.push_back({"User-Agent", impl.options.user_agent});
  }
  if (!call.body.empty()) request.headers.push_back({"Content-Type", call.content_type});
  const std::string& authorization = connection.credentials.authorization();
  if (!authorization.empty()) request.headers.push_back({"Authorization", authorization});
  add_impersonation(request.headers, connection.config.impersonate);
  return request;
}

// The text between the quotes of `299 - "text"`.
std::string warning_text(std::string_view value) {
  const std::size_t open = value.find('"');
  const std::size_t close = value.rfind('"');
  if (!value.starts_with("299") || open == std::string_view::npos || close <= open) return {};
  return std::string(value.substr(open + 1, close - open - 1));
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
  Result<Answer> result = Status(Code::internal, "no attempt was made");
  if (call.stream) {
    result = co_await open_stream(connection, std::move(request));
  } else {
    Result<net::Response> response = co_await connection->http->send(std::move(request));
    if (response.ok()) {
      Answer answer;
      answer.response = std::move(*response);
      result = std::move(answer);
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
  const Status advice = status_of_answer(status, {}, result->response.header("Retry-After"));
  if (result->response.header("Retry-After").empty() || call.verb == "watch") return std::nullopt;
  if (advice.retry_after().count() == 0 && trim(result->response.header("Retry-After")) != "0") {
    return std::nullopt;  // a date, which client-go does not understand either (API-68)
  }
  return advice.retry_after();
}

asio::awaitable<void> yield_to_writes(std::shared_ptr<Connection> connection,
                                      std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kTurn{10};
  const Clock::time_point end = Clock::now() + patience;
  while (connection->writes > 0 && Clock::now() < end) {
    co_await pause(connection->executor, kTurn);
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
  const auto patience = impl->options.yield_to_writes;
  if (patience.count() > 0) co_await yield_to_writes(connection, patience);
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
    co_await pause(connection->executor, *delay);
  }
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

Status failure(const Call& call, const net::Response& response) {
  Status status = status_of_answer(response.status, response.body, response.header("Retry-After"));
  status.with_context(call.what);
  if (const std::string_view audit = response.header("Audit-Id"); !audit.empty()) {
    if (const auto v = log::v(2)) v.info("Request failed", {{"err", status}, {"auditID", audit}});
  }
  return status;
}

}  // namespace

Connection::Connection(asio::any_io_executor executor_, ClientConfig config_)
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

Connection::~Connection() { --TransportCounts::of_process().present; }

void Connection::use_current_tls() {
  if (tls_generation == credentials.tls_generation()) return;
  tls_generation = credentials.tls_generation();
  if (http) return http->set_tls(credentials.tls());
  http = std::make_unique<net::HttpClient>(executor, http_options(config, credentials.tls()));
}

void Connection::log_warnings(const net::Response& response) {
  for (const net::Header& header : response.headers) {
    if (!header.is("warning")) continue;
    const std::string text = warning_text(header.value);
    if (text.empty() || warnings.size() >= kWarningsLimit) continue;
    if (warnings.insert(text).second) log::warning("The API server warns", {{"warning", text}});
  }
}

asio::awaitable<Result<Answer>> exchange(std::shared_ptr<Client::Impl> impl, Call call) {
  const bool yields = impl->options.yield_to_writes.count() != 0;
  const std::size_t writes = yields || is_read(call.method) ? 0 : 1;
  impl->connection->writes += writes;
  const AtEnd counted([&] { impl->connection->writes -= writes; });
  try {
    Result<Answer> result = co_await net::until_stopped(attempts(impl, call), call.stop);
    if (!result.ok()) co_return result;
    if (result->stream || result->response.status < 300) co_return result;
    co_return failure(call, result->response);
  } catch (const boost::system::system_error& error) {
    // The awaiting coroutine was cancelled.
    co_return Status(Code::cancelled, call.what + ": " + error.code().message());
  }
}

}  // namespace ccm::kube
