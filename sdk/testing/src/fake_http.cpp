#include "ccm/testing/fake_http.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ccm::testing {
namespace {

constexpr std::chrono::milliseconds kDefaultTimeout{30'000};

// Completes one request, by whichever comes first: its answer, its time limit, the end of its ctx.
// The function that the loop holds for the answer or the limit owns it.
struct Exchange : std::enable_shared_from_this<Exchange> {
  Exchange(FakeLoop& the_loop, Ctx the_ctx, ccm_completion completion)
      : loop(the_loop), ctx(std::move(the_ctx)), done(completion) {}

  ~Exchange() { ctx.remove_on_cancel(registration); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void finish(const Result<HttpResponse>& outcome) {
    if (std::exchange(finished, true)) return;
    ctx.remove_on_cancel(std::exchange(registration, 0));
    const ccm_status status = outcome.ok() ? ok.to_c() : (failure = outcome.status()).to_c();
    if (!outcome.ok()) return done.fn(done.owner, done.operation, &status, nullptr);
    std::vector<ccm_key_value> headers;
    for (const HttpHeader& header : outcome->headers) {
      headers.push_back({c_str(header.name), c_str(header.value)});
    }
    const ccm_http_response raw{sizeof(raw), outcome->status_code, headers.data(), headers.size(),
                                c_str(outcome->body)};
    done.fn(done.owner, done.operation, &status, &raw);
  }

  FakeLoop& loop;
  Ctx ctx;
  ccm_completion done;
  Status ok;
  Status failure;
  bool finished = false;
  uint64_t registration = 0;
};

void on_ctx_end(void* owner) {
  const auto exchange = static_cast<Exchange*>(owner)->shared_from_this();
  exchange->finish(exchange->ctx.status());
}

HttpRequest copy(const ccm_http_request& raw) {
  HttpRequest request;
  request.method = view(raw.method);
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
  return request;
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

FakeHttp::FakeHttp(FakeLoop& loop, FakeContexts& contexts) : loop_(loop), contexts_(contexts) {
  table_.size = sizeof(table_);
  table_.send = &FakeHttp::send;
}

FakeHttp::Expectation& FakeHttp::expect(std::string method, std::string url) {
  const std::lock_guard lock(mutex_);
  Expectation& expectation = expectations_.emplace_back();
  expectation.method_ = std::move(method);
  expectation.url_ = std::move(url);
  return expectation;
}

void FakeHttp::handle(std::function<Answer(const HttpRequest&)> handler) {
  const std::lock_guard lock(mutex_);
  handler_ = std::move(handler);
}

FakeHttp::Answer FakeHttp::answer_for(const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
  for (Expectation& expectation : expectations_) {
    if (expectation.left_ == 0 || expectation.method_ != request.method ||
        expectation.url_ != request.url) {
      continue;
    }
    if (expectation.left_ > 0) --expectation.left_;
    return expectation.answer_;
  }
  if (handler_) return handler_(request);
  unexpected_.push_back(request.method + " " + request.url);
  Answer refused;
  refused.outcome = Status(Code::unavailable, ErrorClass::unavailable,
                           "the test expects no " + request.method + " " + request.url);
  return refused;
}

void FakeHttp::send(void* self, const ccm_ctx* ctx, const ccm_http_request* raw,
                    ccm_completion done) {
  auto& http = *static_cast<FakeHttp*>(self);
  const HttpRequest request = copy(*raw);
  const Answer answer = http.answer_for(request);
  auto exchange = std::make_shared<Exchange>(http.loop_, Ctx(http.contexts_.service(), ctx), done);
  http.loop_.post([exchange] {
    exchange->registration = exchange->ctx.on_cancel(&on_ctx_end, exchange.get());
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
