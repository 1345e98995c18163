// One connection of the suites' HTTP client. Internal to support/: it pulls in Beast.
#pragma once

#include "support/http_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ccm::support {

// Operations are asynchronous inside and driven by run_for() with the caller's deadline, because
// blocking socket calls know none.
class HttpConnection {
 public:
  // Resolves, connects and shakes hands. Throws std::runtime_error.
  HttpConnection(const Credentials& credentials, std::chrono::milliseconds timeout);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Sends a request and reads the whole answer. Throws std::runtime_error.
  HttpResponse exchange(const HttpRequest& request);
  // Sends a request and reads the header of the answer only; the body comes by read_some().
  HttpResponse open(const HttpRequest& request);
  // Appends what arrives next to the answer's body to *into. False: nothing within timeout, or the
  // body is at its end (then finished()). May be called again after a timeout.
  bool read_some(std::string& into, std::chrono::milliseconds timeout);
  bool finished() const { return finished_; }
  // Why the body ended before its end; empty if it ended well.
  const std::string& failure() const { return failure_; }
  bool reusable() const { return reusable_; }

 private:
  using Socket = boost::asio::ip::tcp::socket;
  using Parser = boost::beast::http::response_parser<boost::beast::http::buffer_body>;

  template <typename Start>
  void drive(std::string_view what, std::chrono::milliseconds timeout, Start start);
  template <typename Action>
  void on_stream(Action action);
  void connect(std::chrono::milliseconds timeout);
  void prepare_tls();
  void write(const HttpRequest& request);

  const Credentials& credentials_;
  std::string host_;
  std::string port_;
  bool secure_ = false;
  boost::asio::io_context loop_{1};
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};
  std::optional<boost::asio::ssl::stream<Socket>> stream_{std::in_place, loop_, tls_};
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  char chunk_[16384];
  bool read_pending_ = false;
  bool finished_ = false;
  bool reusable_ = true;
  std::string failure_;
};

}  // namespace ccm::support
