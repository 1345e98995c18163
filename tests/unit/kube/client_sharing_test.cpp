// Clients that share connections: rate limits, yielding, the write gate, observers.
#include "client_fixture.hpp"
#include "kube/client.hpp"
#include "net/http_client.hpp"
#include "net/write_gate.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using test::ServerReply;
using testing::ElementsAre;

ObjectRequest event_request() {
  return write_of(ObjectRequest::Verb::create, resources::events(), "default", "", "{}");
}

TEST_F(ClientTest, API_67_RateLimitHoldsRequestsButNotWatches) {
  for (int i = 0; i < 3; ++i) api_.expect({"/"}, json_reply("{}"));
  for (int i = 0; i < 3; ++i) api_.expect_watch({}, {}, ScriptedApi::End::close);
  std::vector<std::chrono::nanoseconds> waits;
  ClientOptions options;
  options.qps = 10;
  options.burst = 1;
  options.observer = [&](const CallRecord& call) { waits.push_back(call.limiter_wait); };
  Client client(loop_.get_executor(), config_for(api_.server()), options);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(client.send(read_of(nodes_, "", "n"))).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(190));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(client.open_watch(nodes_, "", WatchOptions())).ok());
  ASSERT_EQ(waits.size(), 6u);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_LT(waits[i], std::chrono::milliseconds(90));
}

TEST_F(ClientTest, ObserverSeesEveryAttempt) {
  api_.expect({"/"}, with_retry_after(status_reply(503, "ServiceUnavailable"), "0"));
  api_.expect({"/"}, json_reply("{}"));
  std::vector<std::string> calls;
  ClientOptions options;
  options.observer = [&](const CallRecord& call) {
    calls.push_back(std::string(call.verb) + " " + std::string(call.method) + " " +
                    std::string(call.resource) + " " + std::to_string(call.http_status) +
                    (call.retry ? " again" : ""));
    EXPECT_GT(call.duration.count(), 0);
    EXPECT_EQ(call.request_bytes, 2U);
    EXPECT_EQ(call.response_bytes == 2, call.http_status == 200);
    EXPECT_FALSE(call.stream);
  };
  Client client(loop_.get_executor(), config_for(api_.server()), options);
  ASSERT_TRUE(run(client.send(patch_of(nodes_, "n", PatchType::merge))).ok());
  EXPECT_THAT(calls, ElementsAre("patch PATCH v1/nodes 503", "patch PATCH v1/nodes 200 again"));
}

TEST_F(ClientTest, HOST_82_DerivedClientsShareTheConnection) {
  for (int i = 0; i < 2; ++i) api_.expect({"/"}, json_reply("{}"));
  Client client = this->client();
  ClientOptions options;
  options.user_agent = "ccm-test/node-controller";
  const Client derived = client.derive(options);
  ASSERT_TRUE(run(client.send(read_of(nodes_, "", "n"))).ok());
  ASSERT_TRUE(run(Client(derived).send(read_of(nodes_, "", "n"))).ok());
  EXPECT_EQ(request(1).header("User-Agent"), "ccm-test/node-controller");
  EXPECT_EQ(api_.server().connections(), 1u);
}

TEST_F(ClientTest, AClientThatYieldsLetsWritesGoFirstAndReadsNot) {
  ServerReply slow = json_reply("{}");
  slow.delay = std::chrono::milliseconds(300);
  api_.expect({"/nodes/n1"}, slow);
  api_.expect({"/events"}, json_reply("{}"));
  Client client = this->client();
  ClientOptions options;
  options.qps = 0;
  options.yield_to_writes = std::chrono::seconds(10);
  Client events = client.derive(options);
  std::optional<Result<std::string>> node;
  std::optional<Result<std::string>> event;
  boost::asio::co_spawn(loop_,
                        store_result(client.send(patch_of(nodes_, "n1", PatchType::merge)), &node),
                        [](const std::exception_ptr&) {});
  boost::asio::co_spawn(loop_, store_result(events.send(event_request()), &event),
                        [](const std::exception_ptr&) {});
  run_until([&] { return node.has_value(); });
  EXPECT_FALSE(event.has_value());
  EXPECT_EQ(requests(), 1U);
  run_until([&] { return event.has_value(); });
  EXPECT_TRUE((*event).ok());

  api_.expect({"/nodes/n1"}, slow);  // a read holds up nothing
  api_.expect({"/events"}, json_reply("{}"));
  node.reset();
  event.reset();
  boost::asio::co_spawn(loop_, store_result(client.send(read_of(nodes_, "", "n1")), &node),
                        [](const std::exception_ptr&) {});
  while (requests() < 3U) turn();
  boost::asio::co_spawn(loop_, store_result(events.send(event_request()), &event),
                        [](const std::exception_ptr&) {});
  run_until([&] { return event.has_value(); });
  EXPECT_FALSE(node.has_value());
  run_until([&] { return node.has_value(); });
}

TEST_F(ClientTest, AClientThatYieldsDoesNotWaitForEver) {
  ServerReply slow = json_reply("{}");
  slow.delay = std::chrono::milliseconds(500);
  api_.expect({"/nodes/n1"}, slow);
  api_.expect({"/events"}, json_reply("{}"));
  Client client = this->client();
  ClientOptions options;
  options.qps = 0;
  options.yield_to_writes = std::chrono::milliseconds(20);
  Client events = client.derive(options);
  std::optional<Result<std::string>> node;
  boost::asio::co_spawn(loop_,
                        store_result(client.send(patch_of(nodes_, "n1", PatchType::merge)), &node),
                        [](const std::exception_ptr&) {});
  while (requests() < 1U) turn();
  EXPECT_TRUE(run(events.send(event_request())).ok());
  EXPECT_FALSE(node.has_value());
  run_until([&] { return node.has_value(); });
}

// A manager that lost the Lease while a write waited for the rate limiter or for Retry-After sends
// nothing.
TEST_F(ClientTest, AWriteThatWaitedPassesTheGateLastOfAll) {
  bool leading = true;
  ClientOptions options;
  options.qps = 0;
  options.gate = std::make_shared<net::WriteGate>([&leading] { return leading; });
  Client fenced(loop_.get_executor(), config_for(api_.server()), options);
  api_.expect({"/n1"}, json_reply("{}"));
  EXPECT_TRUE(run(fenced.send(patch_of(nodes_, "n1", PatchType::merge))).ok());
  // 429: the write comes again after a second, when another leads.
  api_.expect({"/n2"}, with_retry_after(status_reply(429, "TooManyRequests"), "1"));
  boost::asio::steady_timer lost(loop_, std::chrono::milliseconds(500));
  lost.async_wait([&leading](const boost::system::error_code&) { leading = false; });
  const auto late = run(fenced.send(patch_of(nodes_, "n2", PatchType::merge)));
  EXPECT_EQ(late.status().code(), Code::failed_precondition);
  EXPECT_EQ(late.status().reason(), "NotLeading");
  EXPECT_EQ(requests(), 2u);
  EXPECT_FALSE(run(fenced.send(removal_of(nodes_, "n3"))).ok());
  EXPECT_FALSE(run(fenced.send(write_of(ObjectRequest::Verb::create, nodes_, "", "", "{}"))).ok());
  EXPECT_EQ(requests(), 2u);
  api_.expect({"/n1"}, json_reply("{}"));
  EXPECT_TRUE(run(fenced.send(read_of(nodes_, "", "n1"))).ok()) << "reads pass";
}

}  // namespace
}  // namespace ccm::kube
