// Requests on the pool of a client.
#pragma once

#include "client_fixture.hpp"

namespace ccm::net {

class PoolTest : public ClientTest {
 protected:
  static test::ServerReply hello(const test::ServerRequest&) { return reply("hello"); }
  Request request_for(const std::string& url, const std::string& method = "GET") {
    Request request;
    request.method = method;
    request.url = url;
    return request;
  }
  void start(Request request, std::optional<Result<Response>>* answer) {
    boost::asio::co_spawn(loop_, store(client().send(std::move(request)), answer),
                          boost::asio::detached);
  }
  void poll() {
    loop_.restart();
    loop_.poll();
  }
};

}  // namespace ccm::net
