// HTTP/1.1 on a socket of the loopback interface, with a thread for each connection.
#pragma once

#include "support/http_answer.hpp"
#include "support/http_client.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ccm::support {

// Serves from construction to destruction.
class HttpServer {
 public:
  // Called by several threads at once. Must not throw. Names of the request's headers are in lower
  // case.
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;

  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::string url() const;  // http://127.0.0.1:PORT

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ccm::support
