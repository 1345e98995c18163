// Watches and lists that end, expire or fail.
#include "informer_fixture.hpp"
#include "kube/informer.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using test::ServerReply;
using testing::ElementsAre;
using End = ScriptedApi::End;

TEST_F(InformerTest, API_30_ClosedStreamIsWatchedAgainFromTheLastVersion) {
  initial_stream({node_json("a", 5)}, 10, {bookmark_json(17)}, End::close);
  api_.expect_watch({"resourceVersion=17", "!sendInitialEvents"},
                    {event_json("ADDED", node_json("b", 18))}, End::close);
  api_.expect_watch({"resourceVersion=18"}, {});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "late-add b"));
}

TEST_F(InformerTest, CutStreamInTheMiddleOfAnEventLosesNothing) {
  const std::string whole = event_json("MODIFIED", node_json("a", 12, "sandbox://9"));
  initial_stream({node_json("a", 5)}, 10, {whole.substr(0, whole.size() / 2)}, End::cut);
  api_.expect_watch({"resourceVersion=10"}, {whole});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "change a"));
}

TEST_F(InformerTest, API_26_InStreamExpiryListsAgainAndKeepsTheStore) {
  initial_stream({node_json("a", 5), node_json("b", 6)}, 10, {error_event(410, "Expired")});
  api_.expect_watch({"sendInitialEvents=true", "resourceVersion=10"},
                    {event_json("ADDED", node_json("a", 5)),
                     event_json("ADDED", node_json("c", 21)), bookmark_json(30, true)});
  play(6);
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced", "same a", "late-add c", "lost b"));
  EXPECT_EQ(informer().resource_version(), "30");
}

// A server that has lost its history, or a proxy before it, may say so without an end: one list at
// once, then with growing pauses.
TEST_F(InformerTest, API_27_RepeatedExpiryIsNotAnsweredWithListsWithoutAPause) {
  timing_.streamed_lists = false;
  timing_.backoff_initial = std::chrono::milliseconds(100);
  timing_.backoff_limit = std::chrono::milliseconds(10'000);
  timing_.backoff_jitter = 0;
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5)})));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 4; ++i) {
    api_.expect_watch({"resourceVersion=10"}, {error_event(410, "Expired")});
    api_.expect({"!watch"}, json_reply(list_json(10, {node_json("a", 5)})));
  }
  api_.expect_watch({"resourceVersion=10"}, {});
  play(2);
  // 0, 100, 200 and 400 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(700));
  EXPECT_EQ(informer().statistics().lists, 5u);
}

// Not one that only seems to run: who relies on its cache would act on what was long ago.
TEST_F(InformerTest, AnUnexpectedFaultIsToldAndEndsTheLoop) {
  initial_stream({node_json("a", 5)}, 10, {event_json("MODIFIED", node_json("a", 11, "x://2"))});
  InformerHandler handler;
  handler.on_update = [](const ObjectPtr&, const ObjectPtr&, bool) {
    throw std::runtime_error("a bug");
  };
  ASSERT_TRUE(informer().subscribe(*FieldSet::of({"/spec/providerID"}), handler).ok());
  informer().start();
  try {
    run_until([] { return false; });
    ADD_FAILURE() << "the loop goes on";
  } catch (const std::exception& fault) {
    EXPECT_STREQ(fault.what(), "the informer of v1/nodes ended by an unexpected fault: a bug");
  }
}

TEST_F(InformerTest, API_26_HttpExpiryAndTheOldReasonGone) {
  timing_.streamed_lists = false;
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5)})));
  api_.expect({"watch=true", "resourceVersion=10"}, status_reply(410, "Gone"));
  api_.expect({"!watch", "resourceVersion=10", "resourceVersionMatch=NotOlderThan", "!limit"},
              json_reply(list_json(20, {node_json("a", 15, "sandbox://2")})));
  api_.expect({"watch=true", "resourceVersion=20"}, [] {
    ServerReply reply;  // a proxy's answer without a Status
    reply.status = 410;
    reply.body = "gone";
    return reply;
  }());
  api_.expect({"!watch", "resourceVersion=20"},
              json_reply(list_json(22, {node_json("a", 21, "sandbox://3")})));
  api_.expect_watch({"resourceVersion=22"}, {});
  play(4);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "change a", "change a"));
}

TEST_F(InformerTest, API_17_27_ListTooNewThenFromTheNewestState) {
  timing_.streamed_lists = false;
  const std::string cause =
      R"({"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large"}],"retryAfterSeconds":1})";
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=10"}, {error_event(410, "Expired")});
  api_.expect({"resourceVersion=10"}, status_reply(504, "Timeout", "Too large", cause));
  api_.expect({"limit=500", "!resourceVersion"}, json_reply(list_json(8, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=8"}, {});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "same a"));
  EXPECT_EQ(informer().size(), 1u);
}

TEST_F(InformerTest, API_28_ThrottledWatchIsRepeatedWithoutListing) {
  timing_.streamed_lists = false;
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5)})));
  api_.expect({"watch=true", "resourceVersion=10"}, status_reply(429, "TooManyRequests"));
  api_.expect_watch({"resourceVersion=10"}, {error_event(429, "TooManyRequests")});
  api_.expect_watch({"resourceVersion=10"}, {event_json("ADDED", node_json("b", 11))});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "late-add b"));
}

TEST_F(InformerTest, API_29_InStreamInternalErrorListsAgain) {
  timing_.streamed_lists = false;
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=10"}, {error_event(500, "InternalError")});
  api_.expect({"!watch", "resourceVersion=10"}, json_reply(list_json(11, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=11"}, {});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "same a"));
}

TEST_F(InformerTest, API_34_BriefWatchWithoutEventsBacksOff) {
  timing_.streamed_lists = false;
  timing_.short_watch = std::chrono::seconds(5);
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=10"}, {}, End::close);
  api_.expect_watch({"resourceVersion=10"}, {});
  play(2);
  EXPECT_EQ(informer().statistics().failures, 1u);
  EXPECT_EQ(informer().statistics().lists, 1u);
}

TEST_F(InformerTest, API_40_BrokenInitialStreamStartsOverCleanly) {
  api_.expect_watch({"sendInitialEvents=true"}, {event_json("ADDED", node_json("ghost", 4))},
                    End::cut);
  initial_stream({node_json("a", 5)}, 10);
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
  EXPECT_EQ(informer().get("", "ghost"), nullptr);
}

TEST_F(InformerTest, API_131_NoErrorEmptiesTheStore) {
  timing_.streamed_lists = false;
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5), node_json("b", 6)})));
  api_.expect_watch({"resourceVersion=10"}, {error_event(410, "Expired")});
  api_.expect({"!watch"}, status_reply(403, "Forbidden"));
  api_.expect({"!watch"}, status_reply(500, "InternalError"));
  api_.expect({"!watch"}, json_reply("{}"));
  api_.expect({"!watch"}, json_reply("<html>not found</html>"));
  api_.expect({"!watch"}, json_reply(R"({"kind":"NodeList","metadata":{},"items":[]})"));
  ServerReply cut = json_reply(list_json(20, {node_json("a", 5), node_json("b", 6)}));
  cut.cut_after = 120 + cut.body.size() / 2;
  api_.expect({"!watch"}, cut);
  api_.expect({"!watch"}, json_reply(list_json(21, {node_json("a", 5), node_json("b", 6)})));
  api_.expect_watch({"resourceVersion=21"}, {});
  play(5);
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced", "same a", "same b"));
  EXPECT_TRUE(informer().last_failure().ok());
  EXPECT_GE(informer().statistics().failures, 6u);
}

TEST_F(InformerTest, ServerAwayAtTheStartIsWaitedFor) {
  api_.expect({"watch=true"}, status_reply(503, "ServiceUnavailable"));
  ServerReply reset;
  reset.reset = true;
  api_.expect({"watch=true"}, reset);
  initial_stream({node_json("a", 5)}, 10);
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
}

// Unlike client-go's (API-35), whose pause would grow to a minute.
TEST_F(InformerTest, WithoutAConnectionThePausesStayShort) {
  ClientConfig nobody;
  {
    test::TestHttpServer gone([](const test::ServerRequest&) { return ServerReply(); });
    nobody = config_for(gone);
  }
  timing_.backoff_initial = timing_.backoff_limit = std::chrono::hours(1);
  timing_.connect_limit = std::chrono::milliseconds(1);
  Informer away(Client(loop_.get_executor(), nobody, ClientOptions()), spec_, timing_);
  away.start();
  run_until([&] { return away.statistics().failures >= 3; });
}

}  // namespace
}  // namespace ccm::kube
