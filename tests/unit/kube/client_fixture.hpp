// A client of a scripted API server.
#pragma once

#include "kube/client.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {

class ClientTest : public KubeTest {
 protected:
  ~ClientTest() override { api_.release(); }
  void TearDown() override { EXPECT_THAT(api_.complaints(), testing::IsEmpty()); }

  Client client() { return client_for(api_.server()); }
  test::ServerRequest request(std::size_t index) { return api_.server().requests().at(index); }
  std::size_t requests() { return api_.server().requests().size(); }
  void turn() {
    loop_.restart();
    loop_.run_for(std::chrono::milliseconds(1));
  }
  static test::ServerReply with_retry_after(test::ServerReply reply, const std::string& value) {
    reply.headers.emplace_back("Retry-After", value);
    return reply;
  }

  ScriptedApi api_;
  Resource nodes_ = resources::nodes();
  Resource leases_ = resources::leases();
};

}  // namespace ccm::kube
