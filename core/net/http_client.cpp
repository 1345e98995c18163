#include "net/http_client.hpp"

#include "net/connection_pool.hpp"
#include "net/connector.hpp"
#include "net/coroutines.hpp"
#include "net/http_exchange.hpp"
#include "net/url.hpp"
#include "net/write_gate.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace ccm::net {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using TimePoint = Transport::TimePoint;

namespace {

TimePoint deadline_after(milliseconds limit) {
  // Beyond a year it is the same as never, and it must not overflow the clock.
  constexpr milliseconds kLongest = std::chrono::hours(24 * 365);
  return limit.count() <= 0 || limit > kLongest ? Transport::kNever : steady_clock::now() + limit;
}

Status describe(const Request& request, Status status) {
  const std::string method = request.method.substr(0, 32);
  return std::move(status).with_context(method + " " + redact_url(request.url));
}

Status cancelled() { return Status(Code::cancelled, "cancelled"); }

// Enters the gate and writes, unless the waiter was cancelled meanwhile.
asio::awaitable<ExchangeOutcome> enter_and_write(WriteGate& gate,
                                                 asio::awaitable<ExchangeOutcome> talk,
                                                 WriteGate::Passage* passage,
                                                 asio::cancellation_state waiting) {
  ExchangeOutcome outcome;
  if (waiting.cancelled() != asio::cancellation_type::none) {
    outcome.status = cancelled();
    co_return outcome;
  }
  *passage = gate.enter();
  if (!*passage) {
    outcome.status = WriteGate::refusal();
    co_return outcome;
  }
  outcome = co_await std::move(talk);
  co_return outcome;
}

// A write whose first byte has left continues to its answer or its deadline, even when nobody waits
// for it any more: cutting the connection would not undo it, and the gate would count a write as
// ended that the server still carries out. So no cancellation reaches this coroutine.
asio::awaitable<ExchangeOutcome> write(WriteGate& gate, asio::awaitable<ExchangeOutcome> talk,
                                       WriteGate::Passage* passage) {
  const asio::cancellation_state waiting = co_await asio::this_coro::cancellation_state;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  co_return co_await asio::co_spawn(
      executor, enter_and_write(gate, std::move(talk), passage, waiting),
      asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
}

// An exchange whose answer's header has arrived.
struct Answered {
  ConnectionPool::Permit permit;
  std::unique_ptr<ResponseReader> reader;
};

class Stream final : public ResponseStream {
 public:
  Stream(Answered answered, std::shared_ptr<Scratch> scratch, std::string name)
      : permit_(std::move(answered.permit)),
        reader_(std::move(answered.reader)),
        scratch_(std::move(scratch)),
        name_(std::move(name)) {
    pending_ = std::exchange(reader_->response().body, std::string());
    head_ = std::exchange(reader_->response(), Response());
    end_if_done();
  }

  const Response& head() const override { return head_; }

  asio::awaitable<Result<std::string>> read(milliseconds idle_timeout) override {
    try {
      while (pending_.empty() && failure_.ok() && !ended_) {
        permit_.connection->transport->set_deadline(deadline_after(idle_timeout));
        Status status = co_await reader_->receive_some(permit_.connection.get(), scratch_.get());
        pending_ = std::exchange(reader_->response().body, std::string());
        if (!status.ok()) {
          fail(std::move(status));
        } else {
          end_if_done();
        }
      }
    } catch (const boost::system::system_error&) {
      fail(cancelled());
    }
    if (pending_.empty() && !failure_.ok()) co_return failure_;
    co_return std::exchange(pending_, std::string());
  }

 private:
  void fail(Status status) {
    failure_ = std::move(status).with_context(name_);
    permit_ = ConnectionPool::Permit();
  }

  void end_if_done() {
    if (!reader_->done()) return;
    ended_ = true;
    if (reader_->reusable(*permit_.connection)) permit_.put_back();
    permit_ = ConnectionPool::Permit();
  }

  ConnectionPool::Permit permit_;
  std::unique_ptr<ResponseReader> reader_;
  std::shared_ptr<Scratch> scratch_;
  std::string name_;
  Response head_;
  std::string pending_;  // received, not yet returned
  bool ended_ = false;
  Status failure_;
};

}  // namespace

struct HttpClient::Impl {
  Impl(asio::any_io_executor executor, ClientOptions options)
      : user_agent(std::move(options.user_agent)),
        connector(executor, options),
        pool(std::make_shared<ConnectionPool>(executor, options.max_connections_per_origin,
                                              options.idle_connection_timeout)),
        scratch(std::make_shared<Scratch>()) {}

  // Up to the answer's header, or with `whole` its end. Retries once when the rule allows it.
  asio::awaitable<Result<Answered>> run(const Request* request, bool whole) {
    const Result<Url> url = parse_url(request->url);
    if (!url.ok()) co_return url.status();
    if (url->has_user || (url->scheme != "https" && url->scheme != "http")) {
      co_return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                       "the URL has to be http or https and without user and password");
    }
    const TimePoint deadline = deadline_after(request->timeout);
    const std::string origin = url->origin();
    Answered answered;
    WriteGate::Passage passage;
    if (whole) {
      Result<ConnectionPool::Permit> permit = co_await pool->acquire(origin, deadline);
      if (!permit.ok()) co_return permit.status();
      answered.permit = std::move(*permit);
    } else {
      answered.permit = pool->acquire_uncounted(origin);
    }
    while (true) {
      if (!answered.permit.connection) {
        const std::uint64_t generation = pool->generation();
        auto connected = co_await connector.connect(*url, deadline);
        if (!connected.ok()) {
          Status failed = connected.status();
          co_return failed.with_reason(std::string(kConnectFailed));
        }
        answered.permit.connection = std::move(*connected);
        answered.permit.connection->generation = generation;
      }
      Connection* connection = answered.permit.connection.get();
      connection->transport->set_deadline(deadline);
      Result<std::string> head = request_head(*request, *url, user_agent, connection->absolute_form,
                                              connection->proxy_authorization);
      if (!head.ok()) co_return head.status();
      answered.reader = std::make_unique<ResponseReader>(request->method == "HEAD",
                                                         whole ? request->max_response_bytes : 0);
      asio::awaitable<ExchangeOutcome> talk = exchange(connection, request, std::move(*head),
                                                       answered.reader.get(), scratch.get(), whole);
      ExchangeOutcome outcome;
      if (request->gate) {
        outcome = co_await write(*request->gate, std::move(talk), &passage);
      } else {
        outcome = co_await std::move(talk);
      }
      if (outcome.status.ok()) co_return answered;
      answered.permit.discard();
      if (!outcome.repeatable) co_return outcome.status;
    }
  }

  std::string user_agent;
  Connector connector;
  std::shared_ptr<ConnectionPool> pool;
  std::shared_ptr<Scratch> scratch;
};

HttpClient::HttpClient(asio::any_io_executor executor, ClientOptions options)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options))) {}

HttpClient::~HttpClient() { impl_->pool->shut_down(); }

Status HttpClient::check() const { return impl_->connector.check(); }

// Asio throws inside a coroutine that continues after it was cancelled; that ends here.
asio::awaitable<Result<Response>> HttpClient::send(Request request) {
  const std::shared_ptr<Impl> impl = impl_;
  try {
    const std::stop_token stop = request.stop;
    Result<Answered> answered = co_await until_stopped(impl->run(&request, true), stop);
    if (!answered.ok()) co_return describe(request, answered.status());
    Response response = std::move(answered->reader->response());
    if (answered->reader->reusable(*answered->permit.connection)) answered->permit.put_back();
    co_return response;
  } catch (const boost::system::system_error&) {
  }
  co_return describe(request, cancelled());
}

asio::awaitable<Result<std::unique_ptr<ResponseStream>>> HttpClient::open(Request request) {
  const std::shared_ptr<Impl> impl = impl_;
  try {
    Result<Answered> answered = co_await impl->run(&request, false);
    if (!answered.ok()) co_return describe(request, answered.status());
    std::string name = request.method + " " + redact_url(request.url);
    std::unique_ptr<ResponseStream> stream =
        std::make_unique<Stream>(std::move(*answered), impl->scratch, std::move(name));
    co_return stream;
  } catch (const boost::system::system_error&) {
  }
  co_return describe(request, cancelled());
}

void HttpClient::set_tls(TlsOptions tls) {
  impl_->connector.set_tls(tls);
  impl_->pool->next_generation();
}

void HttpClient::close_idle() { impl_->pool->close_idle(); }

}  // namespace ccm::net
