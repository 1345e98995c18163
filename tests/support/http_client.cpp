#include "support/http_client.hpp"

#include "support/http_connection.hpp"

#include <cstdio>

namespace ccm::support {
namespace {

constexpr auto kConnectTimeout = std::chrono::seconds(10);

}  // namespace

HttpClient::HttpClient(Credentials credentials) : credentials_(std::move(credentials)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&& other) noexcept : credentials_(std::move(other.credentials_)) {}
HttpClient& HttpClient::operator=(HttpClient&& other) noexcept {
  connection_.reset();
  credentials_ = std::move(other.credentials_);
  return *this;
}

HttpResponse HttpClient::send(const HttpRequest& request) {
  const bool reused = connection_ != nullptr;
  try {
    if (!reused) connection_ = std::make_unique<HttpConnection>(credentials_, kConnectTimeout);
    HttpResponse response = connection_->exchange(request);
    if (!connection_->reusable()) connection_.reset();
    return response;
  } catch (const std::runtime_error&) {
    connection_.reset();
    // The server may have closed an idle connection just now; a read may be retried.
    if (!reused || request.method != "GET") throw;
  }
  return send(request);
}

std::string encode_component(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      result += c;
    } else {
      char code[4];
      std::snprintf(code, sizeof(code), "%%%02X", static_cast<unsigned char>(c));
      result += code;
    }
  }
  return result;
}

}  // namespace ccm::support
