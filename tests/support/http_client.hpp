// A synchronous HTTP/1.1 client for http and https with a deadline for every exchange.
#pragma once

#include "support/kubeconfig.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace ccm::support {

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, already encoded
  std::string body;
  std::map<std::string, std::string> headers;  // added to Host and Authorization
  std::chrono::milliseconds timeout = std::chrono::seconds(70);
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class HttpConnection;

// Keeps one connection and reuses it. One thread at a time.
class HttpClient {
 public:
  // A token of the credentials is sent with every request that has no Authorization header.
  explicit HttpClient(Credentials credentials);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // Any status is an answer. Throws std::runtime_error if there is none in time.
  HttpResponse send(const HttpRequest& request);
  const Credentials& credentials() const { return credentials_; }

 private:
  Credentials credentials_;
  std::unique_ptr<HttpConnection> connection_;
};

// Percent-encodes all but unreserved characters, for one query value or path segment.
std::string encode_component(const std::string& text);

}  // namespace ccm::support
