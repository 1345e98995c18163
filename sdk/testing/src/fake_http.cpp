#include "ccm/testing/fake_http.hpp"

#include "fake_operation.hpp"

#include <ccm/detail/c_arrays.hpp>

#include <condition_variable>
#include <memory>
#include <utility>

namespace ccm::testing {
namespace {

constexpr std::chrono::milliseconds kDefaultTimeout{30'000};
constexpr uint32_t kRequestFlags = CCM_HTTP_READ_ONLY | CCM_HTTP_IDEMPOTENT;
constexpr uint32_t kClientFlags = CCM_HTTP_INSECURE | CCM_HTTP_NO_PROXY;

using Ended = std::function<void(const Result<HttpResponse>&)>;

void give(ccm_completion done, const Result<HttpResponse>& outcome) {
  if (!outcome.ok()) return complete(done, outcome.status());
  std::vector<ccm_key_value> headers;
  for (const HttpHeader& header : outcome->headers) {
    headers.push_back({c_str(header.name), c_str(header.value)});
  }
  ccm_http_response raw = sized<ccm_http_response>();
  raw.status_code = outcome->status_code;
  raw.headers = headers.data();
  raw.header_count = headers.size();
  raw.body = c_str(outcome->body);
  complete(done, {}, &raw);
}

// Completes one request, by whichever comes first: its answer, its time limit, the end of its ctx.
// The function that the loop holds for the answer or the limit owns it.
struct Exchange : std::enable_shared_from_this<Exchange> {
  Exchange(FakeLoop& the_loop, Ctx the_ctx, Ended the_end)
      : loop(the_loop), ctx(std::move(the_ctx)), end(std::move(the_end)) {}

  ~Exchange() { ctx.remove_on_end(registration); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void finish(const Result<HttpResponse>& outcome) {
    if (std::exchange(finished, true)) return;
    ctx.remove_on_end(std::exchange(registration, 0));
    end(outcome);
  }
  static void on_ctx_end(void* owner) {
    const auto exchange = static_cast<Exchange*>(owner)->shared_from_this();
    exchange->finish(exchange->ctx.status());
  }

  FakeLoop& loop;
  Ctx ctx;
  Ended end;
  bool finished = false;
  uint64_t registration = 0;
};

HttpRequest copy(const ccm_http_request& raw) {
  HttpRequest request;
  request.method = view(raw.method).empty() ? "GET" : std::string(view(raw.method));
  request.url = view(raw.url);
  for (size_t i = 0; i < raw.header_count; ++i) {
    request.headers.push_back(
        {std::string(view(raw.headers[i].key)), std::string(view(raw.headers[i].value))});
  }
  request.body = view(raw.body);
  request.operation = view(raw.operation);
  request.credential = view(raw.credential);
  request.timeout = std::chrono::milliseconds(raw.timeout_ms);
  request.max_tries = raw.max_tries;
  request.read_only = (raw.flags & CCM_HTTP_READ_ONLY) != 0;
  request.idempotent = (raw.flags & CCM_HTTP_IDEMPOTENT) != 0;
  request.secrets = detail::strings_from_c(raw.secrets, raw.secret_count);
  request.replaces = view(raw.replaces);
  return request;
}

HttpClientOptions copy(const ccm_http_client_options& raw) {
  HttpClientOptions options;
  options.name = view(raw.name);
  options.ca_pem = view(raw.ca_pem);
  options.ca_file = view(raw.ca_file);
  options.certificate_pem = view(raw.certificate_pem);
  options.certificate_file = view(raw.certificate_file);
  options.key_pem = view(raw.key_pem);
  options.key_file = view(raw.key_file);
  options.server_name = view(raw.server_name);
  options.fingerprint = view(raw.fingerprint);
  options.proxy = view(raw.proxy);
  options.no_proxy = (raw.flags & CCM_HTTP_NO_PROXY) != 0;
  options.insecure = (raw.flags & CCM_HTTP_INSECURE) != 0;
  options.max_connections = raw.max_connections;
  options.body_limit = raw.body_limit;
  options.secrets = detail::strings_from_c(raw.secrets, raw.secret_count);
  return options;
}

}  // namespace

FakeHttp::Expectation& FakeHttp::Expectation::answer(uint32_t status_code, std::string body,
                                                     std::vector<HttpHeader> headers) {
  answer_.outcome = HttpResponse{status_code, std::move(headers), std::move(body)};
  return *this;
}
FakeHttp::Expectation& FakeHttp::Expectation::fail(Status status) {
  answer_.outcome = std::move(status);
  return *this;
}
FakeHttp::Expectation& FakeHttp::Expectation::hang() {
  answer_.hangs = true;
  return *this;
}
FakeHttp::Expectation& FakeHttp::Expectation::after(std::chrono::milliseconds delay) {
  answer_.delay = delay;
  return *this;
}
FakeHttp::Expectation& FakeHttp::Expectation::times(int count) {
  left_ = count;
  return *this;
}

FakeHttp::Expectation& FakeHttp::expect(std::string method, std::string url) {
  const std::lock_guard lock(mutex_);
  Expectation& expectation = expectations_.emplace_back();
  expectation.method_ = std::move(method);
  expectation.url_ = std::move(url);
  return expectation;
}

void FakeHttp::handle(std::function<Answer(const HttpRequest&)> handler) {
  handle_with_client(
      [handler = std::move(handler)](const HttpRequest& request, const HttpClientOptions&) {
        return handler(request);
      });
}

void FakeHttp::handle_with_client(Handler handler) {
  const std::lock_guard lock(mutex_);
  handler_ = std::move(handler);
}

FakeHttp::Answer FakeHttp::answer_for(const Client& client, const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  if (!client.open) {
    Answer refused;
    refused.outcome = Status(Code::failed_precondition, "the HTTP client was closed");
    return refused;
  }
  requests_.push_back(request);
  senders_.push_back(client.number);
  for (Expectation& expectation : expectations_) {
    if (expectation.left_ == 0 || expectation.method_ != request.method ||
        expectation.url_ != request.url) {
      continue;
    }
    if (expectation.left_ > 0) --expectation.left_;
    return expectation.answer_;
  }
  if (handler_) return handler_(request, client.options);
  unexpected_.push_back(request.method + " " + request.url);
  Answer refused;
  refused.outcome = Status(Code::unavailable, ErrorClass::unavailable,
                           "the test expects no " + request.method + " " + request.url);
  return refused;
}

struct FakeHttp::Table {
  // Any thread; `end` is called on the loop, later.
  static void start(Client& client, ccm_ctx ctx, const ccm_http_request* given, Ended end) {
    FakeHttp& http = *client.http;
    Status refused =
        only_known(given, kRequestFlags) ? http.contexts_.check(ctx) : unknown_request("http.send");
    if (!refused.ok()) {
      return http.loop_.post(
          [end = std::move(end), refused = std::move(refused)] { end(refused); });
    }
    const HttpRequest request = copy(known(given));
    const Answer answer = http.answer_for(client, request);
    auto exchange =
        std::make_shared<Exchange>(http.loop_, Ctx(http.contexts_.service(), ctx), std::move(end));
    http.loop_.post([exchange] {
      exchange->registration =
          exchange->ctx.on_end({&Exchange::on_ctx_end, nullptr, exchange.get()});
    });
    const auto limit = request.timeout.count() > 0 ? request.timeout : kDefaultTimeout;
    if (answer.hangs || answer.delay > limit) {
      http.loop_.after(limit, [exchange] {
        exchange->finish(Status(Code::deadline_exceeded, ErrorClass::unavailable,
                                "no answer within the time limit"));
      });
    } else {
      http.loop_.post([exchange, answer, &loop = http.loop_] {
        if (answer.delay.count() == 0) return exchange->finish(answer.outcome);
        loop.after(answer.delay, [exchange, answer] { exchange->finish(answer.outcome); });
      });
    }
  }

  static void send(void* self, ccm_ctx ctx, const ccm_http_request* request, ccm_completion done) {
    start(*static_cast<Client*>(self), ctx, request,
          [done](const Result<HttpResponse>& outcome) { give(done, outcome); });
  }

  static void send_wait(void* self, ccm_ctx ctx, const ccm_http_request* request,
                        ccm_completion done) {
    Client& client = *static_cast<Client*>(self);
    if (client.http->loop_.on_loop()) {
      return complete(done, Status(Code::failed_precondition, "send_wait is for [worker] threads")
                                .with_reason(CCM_REASON_WRONG_THREAD));
    }
    struct Waiting {
      std::mutex mutex;
      std::condition_variable arrived;
      std::optional<Result<HttpResponse>> outcome;
    };
    const auto waiting = std::make_shared<Waiting>();
    start(client, ctx, request, [waiting](const Result<HttpResponse>& outcome) {
      const std::lock_guard lock(waiting->mutex);
      waiting->outcome = outcome;
      waiting->arrived.notify_one();
    });
    std::unique_lock lock(waiting->mutex);
    waiting->arrived.wait(lock, [&] { return waiting->outcome.has_value(); });
    lock.unlock();
    give(done, *waiting->outcome);
  }

  static void open(void* self, ccm_ctx ctx, const ccm_http_client_options* given,
                   ccm_completion done) {
    auto& http = *static_cast<FakeHttp*>(self);
    Status refused = only_known(given, kClientFlags) ? http.contexts_.check(ctx)
                                                     : unknown_request("http_client.open");
    const std::lock_guard lock(http.mutex_);
    if (http.client_fault_) refused = *std::exchange(http.client_fault_, std::nullopt);
    if (!refused.ok()) return post_failure(http.loop_, done, std::move(refused));
    Client& client =
        http.clients_.emplace_back(Client{&http, http.clients_.size(), copy(known(given))});
    http.loop_.post([&http, &client, done] {
      ccm_http_client raw = sized<ccm_http_client>();
      raw.http = {&client, &http.table_};
      raw.number = client.number;
      complete(done, {}, &raw);
    });
  }

  static void close(void* self, uint64_t number) {
    auto& http = *static_cast<FakeHttp*>(self);
    const std::lock_guard lock(http.mutex_);
    if (number > 0 && number < http.clients_.size()) http.clients_[number].open = false;
  }
};

FakeHttp::FakeHttp(FakeLoop& loop, FakeContexts& contexts) : loop_(loop), contexts_(contexts) {
  clients_.push_back(Client{this, 0, {}});
  table_ = sized<ccm_host_http>();
  table_.send = &Table::send;
  table_.send_wait = &Table::send_wait;
  client_table_ = sized<ccm_host_http_client>();
  client_table_.open = &Table::open;
  client_table_.close = &Table::close;
}

std::vector<HttpClientOptions> FakeHttp::clients() const {
  const std::lock_guard lock(mutex_);
  std::vector<HttpClientOptions> all;
  for (std::size_t i = 1; i < clients_.size(); ++i) all.push_back(clients_[i].options);
  return all;
}

std::size_t FakeHttp::open_clients() const {
  const std::lock_guard lock(mutex_);
  std::size_t open = 0;
  for (std::size_t i = 1; i < clients_.size(); ++i) open += clients_[i].open ? 1 : 0;
  return open;
}

std::optional<std::size_t> FakeHttp::client_of(std::size_t request) const {
  const std::lock_guard lock(mutex_);
  if (senders_.at(request) == 0) return std::nullopt;
  return senders_[request] - 1;
}

void FakeHttp::fail_next_client(Status status) {
  const std::lock_guard lock(mutex_);
  client_fault_ = std::move(status);
}

std::vector<HttpRequest> FakeHttp::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<std::string> FakeHttp::unexpected() const {
  const std::lock_guard lock(mutex_);
  return unexpected_;
}

std::vector<std::string> FakeHttp::unmet() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (const Expectation& expectation : expectations_) {
    if (expectation.left_ > 0) lines.push_back(expectation.method_ + " " + expectation.url_);
  }
  return lines;
}

}  // namespace ccm::testing
