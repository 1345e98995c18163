// Retries, time limits, and credentials that a server refuses.
#include "client_fixture.hpp"
#include "kube/client.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using test::ServerReply;
using test::ServerRequest;

TEST_F(ClientTest, API_68_AnswersWithRetryAfterAreRepeated) {
  api_.expect({"/"}, with_retry_after(status_reply(429, "TooManyRequests"), "0"));
  api_.expect({"/"}, with_retry_after(status_reply(503, "ServiceUnavailable"), "0"));
  api_.expect({"/"}, json_reply("{}"));
  EXPECT_TRUE(run(client().send(patch_of(nodes_, "n", PatchType::merge))).ok());
  EXPECT_EQ(requests(), 3u);
  EXPECT_EQ(request(2).body, "{}");
}

TEST_F(ClientTest, API_68_NoRetryWithoutTheHeaderOrBeyondTheLimit) {
  api_.expect({"/"}, status_reply(429, "TooManyRequests"));
  EXPECT_EQ(run(client().send(read_of(nodes_, "", "n"))).status().code(), Code::resource_exhausted);
  api_.expect({"/"}, with_retry_after(status_reply(503, "ServiceUnavailable"),
                                      "Wed, 21 Oct 2015 07:28:00 GMT"));
  EXPECT_FALSE(run(client().send(read_of(nodes_, "", "n"))).ok());
  EXPECT_EQ(requests(), 2u);
  for (int i = 0; i < 3; ++i)
    api_.expect({"/"}, with_retry_after(status_reply(500, "InternalError"), "0"));
  CallOptions twice;
  twice.max_retries = 2;
  EXPECT_FALSE(run(client().send(read_of(nodes_, "", "n", twice))).ok());
  EXPECT_EQ(requests(), 5u);
}

TEST_F(ClientTest, API_69_LostConnectionRepeatsReads) {
  ServerReply cut = json_reply("{\"a\":1}");
  cut.cut_after = 20;
  api_.expect({"/"}, cut);
  api_.expect({"/"}, json_reply("{}"));
  EXPECT_TRUE(run(client().send(read_of(nodes_, "", "n"))).ok());
  EXPECT_EQ(requests(), 2u);
}

TEST_F(ClientTest, API_70_134_LostConnectionNeverRepeatsWrites) {
  Client client = this->client();
  const std::string body = "{}";
  int written = 0;
  for (const std::string& verb : std::vector<std::string>{"create", "update", "patch", "remove"}) {
    ServerReply reset;
    reset.reset = true;
    api_.expect({"/"}, reset);
    Status status;
    if (verb == "create")
      status =
          run(client.send(write_of(ObjectRequest::Verb::create, leases_, "ns", "", body))).status();
    if (verb == "update")
      status = run(client.send(write_of(ObjectRequest::Verb::update, leases_, "ns", "l", body)))
                   .status();
    if (verb == "patch")
      status = run(client.send(patch_of(nodes_, "n", PatchType::merge, body))).status();
    if (verb == "remove") status = run(client.send(removal_of(nodes_, "n"))).status();
    EXPECT_EQ(status.code(), Code::unavailable) << verb;
    EXPECT_EQ(requests(), static_cast<std::size_t>(++written)) << verb;
  }
}

TEST_F(ClientTest, RefusedConnectionIsReportedAtOnce) {
  ClientConfig config;
  {
    test::TestHttpServer gone([](const ServerRequest&) { return ServerReply(); });
    config = config_for(gone);
  }
  Client nobody(loop_.get_executor(), config, ClientOptions());
  const auto body = run(nobody.send(read_of(nodes_, "", "n")));
  EXPECT_EQ(body.status().code(), Code::unavailable);
  EXPECT_EQ(body.status().reason(), "ConnectFailed");
}

TEST_F(ClientTest, API_133_EveryRequestHasATimeLimit) {
  ServerReply slow = json_reply("{}");
  slow.delay = std::chrono::seconds(30);
  api_.expect({"/"}, slow);
  CallOptions options;
  options.timeout = std::chrono::milliseconds(50);
  options.max_retries = 0;
  EXPECT_EQ(run(client().send(read_of(nodes_, "", "n", options))).status().code(),
            Code::deadline_exceeded);
}

TEST_F(ClientTest, API_76_RefusedTokenIsReadAgainOnce) {
  TestFolder folder;
  ClientConfig config = config_for(api_.server());
  config.token_file = folder.write("token", "old");
  Client client(loop_.get_executor(), config, ClientOptions());
  ASSERT_TRUE(client.check().ok());
  folder.write("token", "new");
  api_.expect({"/"}, status_reply(401, "Unauthorized"));
  api_.expect({"/"}, json_reply("{}"));
  EXPECT_TRUE(run(client.send(read_of(nodes_, "", "n"))).ok());
  EXPECT_EQ(request(0).header("Authorization"), "Bearer old");
  EXPECT_EQ(request(1).header("Authorization"), "Bearer new");
  api_.expect({"/"}, status_reply(401, "Unauthorized"));
  EXPECT_EQ(run(client.send(read_of(nodes_, "", "n"))).status().error_class(), ErrorClass::auth);
  EXPECT_EQ(requests(), 3u);  // the same token again would be pointless
}

}  // namespace
}  // namespace ccm::kube
