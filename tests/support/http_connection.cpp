#include "support/http_connection.hpp"

#include <boost/asio/connect.hpp>
#include <boost/system/system_error.hpp>
#include <openssl/ssl.h>

#include <stdexcept>

namespace ccm::support {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

template <typename Fields>
HttpResponse header_of(const Fields& message) {
  HttpResponse response;
  response.status = static_cast<int>(message.result_int());
  for (const auto& field : message) {
    response.headers[lower_case(std::string(field.name_string()))] = std::string(field.value());
  }
  return response;
}

}  // namespace

HttpConnection::HttpConnection(const Credentials& credentials, std::chrono::milliseconds timeout)
    : credentials_(credentials) {
  const std::string& url = credentials.server;
  const std::size_t scheme = url.find("://");
  const std::size_t colon = url.rfind(':');
  if (scheme == std::string::npos || colon <= scheme) {
    throw std::runtime_error("\"" + url + "\" is not scheme://host:port");
  }
  secure_ = url.starts_with("https");
  host_ = url.substr(scheme + 3, colon - scheme - 3);
  port_ = url.substr(colon + 1, url.find('/', colon) - colon - 1);
  connect(timeout);
}

HttpConnection::~HttpConnection() {
  ErrorCode ignored;
  stream_->next_layer().close(ignored);
  loop_.restart();
  loop_.run();
}

// Runs one asynchronous operation to its end or throws, naming what was tried.
template <typename Start>
void HttpConnection::drive(std::string_view what, std::chrono::milliseconds timeout, Start start) {
  std::optional<ErrorCode> result;
  start([&result](const ErrorCode& error, auto&&...) { result = error; });
  loop_.restart();
  loop_.run_for(timeout);
  const bool late = !result.has_value();
  if (late) {
    ErrorCode ignored;
    stream_->next_layer().close(ignored);
    loop_.restart();
    loop_.run();
  }
  if (late || *result) {
    reusable_ = false;
    throw std::runtime_error(std::string(what) + " " + credentials_.server + ": " +
                             (late ? "no answer in time" : result->message()));
  }
}

template <typename Action>
void HttpConnection::on_stream(Action action) {
  if (secure_) {
    action(*stream_);
  } else {
    action(stream_->next_layer());
  }
}

void HttpConnection::connect(std::chrono::milliseconds timeout) {
  asio::ip::tcp::resolver resolver(loop_);
  const auto addresses = resolver.resolve(host_, port_);
  drive("connect to", timeout, [&](auto handler) {
    asio::async_connect(stream_->next_layer(), addresses, std::move(handler));
  });
  stream_->next_layer().set_option(asio::ip::tcp::no_delay(true));
  if (!secure_) return;
  prepare_tls();
  drive("TLS with", timeout, [&](auto handler) {
    stream_->async_handshake(asio::ssl::stream_base::client, std::move(handler));
  });
}

void HttpConnection::prepare_tls() {
  if (credentials_.ca_pem.empty()) {
    tls_.set_default_verify_paths();
  } else {
    tls_.add_certificate_authority(asio::buffer(credentials_.ca_pem));
  }
  if (!credentials_.client_certificate.empty()) {
    tls_.use_certificate_chain(asio::buffer(credentials_.client_certificate));
    tls_.use_private_key(asio::buffer(credentials_.client_key), asio::ssl::context::pem);
  }
  // The stream took its settings from the context when it was made, before these were known.
  Socket socket = std::move(stream_->next_layer());
  stream_.emplace(std::move(socket), tls_);  // its move assignment leaks (Boost 1.81)
  stream_->set_verify_mode(asio::ssl::verify_peer);
  stream_->set_verify_callback(asio::ssl::host_name_verification(host_));
}

void HttpConnection::write(const HttpRequest& request) {
  http::request<http::string_body> message;
  message.method_string(request.method);
  message.target(request.target);
  message.version(11);
  message.set(http::field::host, host_ + ":" + port_);
  message.set(http::field::user_agent, "ccm-test");
  if (!credentials_.token.empty()) {
    message.set(http::field::authorization, "Bearer " + credentials_.token);
  }
  for (const auto& [name, value] : request.headers) message.set(name, value);
  message.body() = request.body;
  if (!request.body.empty() || request.method != "GET") message.prepare_payload();
  on_stream([&](auto& stream) {
    drive("write to", request.timeout,
          [&](auto handler) { http::async_write(stream, message, std::move(handler)); });
  });
}

HttpResponse HttpConnection::exchange(const HttpRequest& request) {
  write(request);
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  parser.skip(request.method == "HEAD");
  on_stream([&](auto& stream) {
    drive("read from", request.timeout,
          [&](auto handler) { http::async_read(stream, buffer_, parser, std::move(handler)); });
  });
  reusable_ = parser.keep_alive();
  HttpResponse response = header_of(parser.get());
  response.body = std::move(parser.get().body());
  return response;
}

HttpResponse HttpConnection::open(const HttpRequest& request) {
  write(request);
  parser_.emplace();
  parser_->body_limit(boost::none);
  on_stream([&](auto& stream) {
    drive("read from", request.timeout, [&](auto handler) {
      http::async_read_header(stream, buffer_, *parser_, std::move(handler));
    });
  });
  reusable_ = false;
  finished_ = parser_->is_done();
  return header_of(parser_->get());
}

bool HttpConnection::read_some(std::string& into, std::chrono::milliseconds timeout) {
  if (finished_) return false;
  if (!read_pending_) {
    parser_->get().body().data = chunk_;
    parser_->get().body().size = sizeof(chunk_);
    parser_->get().body().more = true;
    read_pending_ = true;
    on_stream([&](auto& stream) {
      http::async_read_some(stream, buffer_, *parser_, [this](ErrorCode error, std::size_t) {
        read_pending_ = false;
        if (error == http::error::need_buffer) error = {};
        if (error) failure_ = error.message();
        finished_ = error || parser_->is_done();
      });
    });
  }
  loop_.restart();
  loop_.run_for(timeout);
  if (read_pending_) return false;
  const std::size_t length = sizeof(chunk_) - parser_->get().body().size;
  into.append(chunk_, length);
  return length > 0 || !finished_;
}

}  // namespace ccm::support
