// Runs coroutines of an HttpClient on a loop of the test's own thread.
#pragma once

#include "net/http_client.hpp"
#include "test_http_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <exception>
#include <optional>
#include <utility>

namespace ccm::net {

// Runs the loop until `ready` holds, which may depend on other threads too; fails after 20 s.
template <typename Ready>
void run_until(boost::asio::io_context& loop, Ready ready) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  loop.restart();
  // A loop without work returns at once, and would spin.
  const auto work = boost::asio::make_work_guard(loop);
  while (!ready()) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "nothing happened for 20 s";
    loop.run_one_for(std::chrono::milliseconds(2));
  }
}

// A Result has no default value, so co_spawn() cannot hand it to a completion handler.
template <typename T>
boost::asio::awaitable<void> store(boost::asio::awaitable<T> task, std::optional<T>* result) {
  result->emplace(co_await std::move(task));
}

template <typename T>
std::optional<T> run(boost::asio::io_context& loop, boost::asio::awaitable<T> task) {
  std::optional<T> result;
  boost::asio::co_spawn(loop, store(std::move(task), &result), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
  run_until(loop, [&] { return result.has_value(); });
  return result;
}

class ClientTest : public testing::Test {
 protected:
  HttpClient& client() {
    if (!client_) client_.emplace(loop_.get_executor(), options_);
    return *client_;
  }
  Result<Response> get(const std::string& url) {
    Request request;
    request.url = url;
    return send(std::move(request));
  }
  Result<Response> send(Request request) {
    auto result = run(loop_, client().send(std::move(request)));
    return result ? std::move(*result) : Status(Code::internal, "the test's time ran out");
  }
  Result<std::unique_ptr<ResponseStream>> open(Request request) {
    auto result = run(loop_, client().open(std::move(request)));
    return result ? std::move(*result) : Status(Code::internal, "the test's time ran out");
  }
  Result<std::string> read(ResponseStream& stream,
                           std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    auto result = run(loop_, stream.read(limit));
    return result ? std::move(*result) : Status(Code::internal, "the test's time ran out");
  }
  // A server with a certificate that the client trusts.
  test::ServerOptions trusted() {
    authority_ = test::make_authority("test authority");
    options_.tls.ca_pem = authority_.certificate_pem;
    test::ServerOptions server;
    server.certificate = test::issue_for_loopback(authority_);
    return server;
  }

  boost::asio::io_context loop_{1};
  ClientOptions options_;
  test::Certificate authority_;
  std::optional<HttpClient> client_;
};

inline test::ServerReply reply(std::string body, unsigned status = 200) {
  test::ServerReply result;
  result.status = status;
  result.body = std::move(body);
  return result;
}

}  // namespace ccm::net
