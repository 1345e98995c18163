// HTTP/1.1 on a socket of the loopback interface, with a thread for each connection.
#pragma once

#include "openstack_api/http.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ccm::openstack_api {

// Serves from construction to destruction.
class HttpServer {
 public:
  // Called by several threads at once. Must not throw.
  using Handler = std::function<Answer(const Request&)>;

  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::string url() const;  // http://127.0.0.1:PORT

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ccm::openstack_api
