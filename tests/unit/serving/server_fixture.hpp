// A SecureServer on a loop of a thread of its own.
#pragma once

#include "base/log.hpp"
#include "serving/health.hpp"
#include "serving/secure_server.hpp"
#include "serving/site.hpp"
#include "tls_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <thread>

namespace ccm::serving {

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    log::redirect([](std::string_view) {});
    options_.bind_address = "127.0.0.1";
    options_.any_port = true;
  }
  ~ServerTest() override {
    stop();
    log::redirect({});
  }

  // Starts it; a failure is returned and nothing runs.
  Status start() {
    server_.emplace(loop_.get_executor(), options_, site());
    const Status status = server_->start();
    if (!status.ok()) return status;
    thread_ = std::thread([this] { loop_.run(); });
    return {};
  }
  // The health pages to anybody; tests that need more replace it.
  virtual std::shared_ptr<Site> site() {
    auto result = std::make_shared<Site>();
    add_health_pages(result.get(), registry_);
    return result;
  }
  void stop() {
    if (thread_.joinable()) {
      boost::asio::post(loop_, [this] {
        server_->stop();
        if (others_use_loop_) loop_.stop();
      });
      thread_.join();
    }
    server_.reset();
  }
  std::uint16_t port() { return server_->port(); }
  std::size_t connections() {
    return on_loop([this] { return server_->connections(); });
  }
  std::size_t unread_bytes() {
    return on_loop([this] { return server_->unread_bytes(); });
  }
  std::size_t on_loop(std::function<std::size_t()> read) {
    std::promise<std::size_t> value;
    boost::asio::post(loop_, [&] { value.set_value(read()); });
    return value.get_future().get();
  }
  static std::string get(std::string_view target) {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  }
  static std::string status_line(const std::string& answer) {
    return answer.substr(0, answer.find("\r\n"));
  }
  static std::string body(const std::string& answer) {
    const auto head = answer.find("\r\n\r\n");
    return head == std::string::npos ? "" : answer.substr(head + 4);
  }

  boost::asio::io_context loop_{1};
  bool others_use_loop_ = false;  // it would go on without the server
  ServingOptions options_;
  std::shared_ptr<HealthRegistry> registry_ = std::make_shared<HealthRegistry>();
  std::optional<SecureServer> server_;
  std::thread thread_;
};

}  // namespace ccm::serving
