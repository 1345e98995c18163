#include "kube/informer.hpp"

#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using test::ServerReply;
using testing::ElementsAre;
using testing::IsEmpty;
using End = ScriptedApi::End;

class InformerTest : public KubeTest {
 protected:
  InformerTest() {
    timing_.backoff_initial = std::chrono::milliseconds(1);
    timing_.backoff_limit = std::chrono::milliseconds(4);
    timing_.short_watch = std::chrono::milliseconds(0);
    spec_.resource = resources::nodes();
  }
  ~InformerTest() override { api_.release(); }

  Informer& informer() {
    if (!informer_) {
      informer_ = std::make_unique<Informer>(client_for(api_.server()), spec_, timing_);
      InformerHandler handler;
      handler.on_add = [this](const ObjectPtr& object, bool initial) {
        seen_.push_back((initial ? "add " : "late-add ") + std::string(object->name()));
      };
      handler.on_update = [this](const ObjectPtr& before, const ObjectPtr& now, bool changed) {
        EXPECT_EQ(before->name(), now->name());
        seen_.push_back((changed ? "change " : "same ") + std::string(now->name()));
      };
      handler.on_delete = [this](const ObjectPtr& last, bool unknown) {
        seen_.push_back((unknown ? "lost " : "delete ") + std::string(last->name()));
      };
      handler.on_synced = [this] { seen_.emplace_back("synced"); };
      const auto fields = FieldSet::of({"/spec/providerID"});
      EXPECT_TRUE(informer_->subscribe(*fields, handler).ok());
    }
    return *informer_;
  }
  // Plays the script until the informer saw `count` things and all steps were asked for.
  void play(std::size_t count) {
    informer().start();
    run_until([&] { return seen_.size() >= count && api_.left() == 0; });
  }
  void TearDown() override { EXPECT_THAT(api_.complaints(), IsEmpty()); }

  void initial_stream(std::vector<std::string> nodes, int version,
                      std::vector<std::string> more = {}, End end = End::hold) {
    std::vector<std::string> events;
    for (const std::string& node : nodes) events.push_back(event_json("ADDED", node));
    events.push_back(bookmark_json(version, true));
    events.insert(events.end(), more.begin(), more.end());
    api_.expect_watch(
        {"/api/v1/nodes?", "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan",
         "allowWatchBookmarks=true", "timeoutSeconds="},
        events, end);
  }
  std::vector<std::string> requests() {
    std::vector<std::string> result;
    for (const auto& request : api_.server().requests()) result.push_back(request.target);
    return result;
  }

  InformerSpec spec_;
  InformerTiming timing_;
  ScriptedApi api_;
  std::vector<std::string> seen_;
  std::unique_ptr<Informer> informer_;
};

TEST_F(InformerTest, API_38_StreamedListThenEventsOnTheSameStream) {
  initial_stream({node_json("a", 5), node_json("b", 6)}, 10,
                 {event_json("MODIFIED", node_json("a", 11, "sandbox://2")),
                  event_json("DELETED", node_json("b", 12)),
                  event_json("ADDED", node_json("c", 13)), bookmark_json(20)});
  play(6);
  run_until([&] { return informer().resource_version() == "20"; });
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced", "change a", "delete b", "late-add c"));
  EXPECT_EQ(informer().get("", "a")->text_at("/spec/providerID"), "sandbox://2");
  EXPECT_EQ(informer().get("", "b"), nullptr);
  EXPECT_EQ(informer().size(), 2u);
  EXPECT_EQ(api_.server().requests().size(), 1u);
  EXPECT_EQ(informer().statistics().streamed_lists, 1u);
  EXPECT_TRUE(run(informer().wait_synced()).ok());
}

TEST_F(InformerTest, CacheKeepsDeclaredFieldsOnly) {
  initial_stream({node_json("a", 5)}, 10);
  play(2);
  EXPECT_EQ(informer().get("", "a")->json(),
            R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a","uid":"uid-a",)"
            R"("resourceVersion":"5"},"spec":{"providerID":"sandbox://1"}})");
}

TEST_F(InformerTest, API_42_HeartbeatIsReportedAsUnchanged) {
  initial_stream({node_json("a", 5)}, 10,
                 {event_json("MODIFIED", node_json("a", 11, "sandbox://1", R"(,"x":"beat")"))});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "same a"));
  EXPECT_EQ(informer().get("", "a")->resource_version(), "11");
}

TEST_F(InformerTest, API_39_RefusedStreamedListFallsBackToPages) {
  api_.expect({"sendInitialEvents=true"}, status_reply(422, "Invalid"));
  api_.expect({"limit=500", "!continue", "!resourceVersion"},
              json_reply(list_json(10, {node_json("a", 5)}, "page two/&")));
  api_.expect({"limit=500", "continue=page%20two%2F%26", "!resourceVersion"},
              json_reply(list_json(10, {node_json("b", 6)})));
  api_.expect_watch({"resourceVersion=10", "!sendInitialEvents"},
                    {event_json("ADDED", node_json("c", 11))});
  play(4);
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced", "late-add c"));
}

TEST_F(InformerTest, API_20_ExpiredContinueTokenListsWithoutLimit) {
  timing_.streamed_lists = false;
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5)}, "two")));
  api_.expect({"continue=two"}, status_reply(410, "Expired"));
  api_.expect({"!limit", "!continue", "!resourceVersion"},
              json_reply(list_json(12, {node_json("a", 5), node_json("b", 11)})));
  api_.expect_watch({"resourceVersion=12"}, {});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced"));
}

TEST_F(InformerTest, API_139_NullItemsAreAnEmptyList) {
  timing_.streamed_lists = false;
  api_.expect({"limit=500"},
              json_reply(R"({"kind":"NodeList","metadata":{"resourceVersion":"3"},"items":null})"));
  api_.expect_watch({"resourceVersion=3"}, {});
  play(1);
  EXPECT_THAT(seen_, ElementsAre("synced"));
}

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
  EXPECT_EQ(informer().statistics().expirations, 1u);
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
  EXPECT_EQ(informer().statistics().expirations, 4u);
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
  EXPECT_EQ(informer().statistics().expirations, 2u);
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

TEST_F(InformerTest, DeletionWithinTheInitialEventsCounts) {
  api_.expect_watch({"sendInitialEvents=true"},
                    {event_json("ADDED", node_json("a", 5)), event_json("ADDED", node_json("b", 5)),
                     event_json("DELETED", node_json("a", 7)), bookmark_json(10, true)});
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add b", "synced"));
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

TEST_F(InformerTest, API_36_UnknownEventsAndForeignObjectsAreIgnored) {
  initial_stream(
      {node_json("a", 5)}, 10,
      {event_json("SURPRISE", node_json("x", 11)),
       event_json("ADDED", R"({"kind":"Pod","metadata":{"name":"p","resourceVersion":"12"}})"),
       event_json("ADDED", node_json("b", 13))});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "late-add b"));
}

TEST_F(InformerTest, MalformedObjectIsSkippedAndTheRestGoesOn) {
  initial_stream({node_json("a", 5)}, 10,
                 {event_json("ADDED", R"({"kind":"Node","metadata":{"uid":"no name"}})"),
                  "{\"type\":\"ADDED\",\"object\":{\"kind\":nonsense}}\n",
                  event_json("ADDED", node_json("b", 13))});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "late-add b"));
  EXPECT_EQ(informer().statistics().skipped_objects, 2u);
}

TEST_F(InformerTest, MalformedObjectInAListIsNotTakenForADeletion) {
  timing_.streamed_lists = false;
  api_.expect({"limit=500"}, json_reply(list_json(10, {node_json("a", 5), node_json("b", 6)})));
  api_.expect_watch({"resourceVersion=10"}, {error_event(410, "Expired")});
  api_.expect({"!watch"},
              json_reply(list_json(20, {node_json("a", 5), R"({"metadata":{"name":7}})"})));
  api_.expect_watch({"resourceVersion=20"}, {});
  play(4);
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced", "same a"));
  EXPECT_NE(informer().get("", "b"), nullptr);
}

TEST_F(InformerTest, API_24_OneMalformedObjectAmongThousandsCostsNoOther) {
  constexpr std::size_t kNodes = 3000;
  const std::string malformed = R"({"kind":"Node","metadata":"none"})";
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < kNodes; ++i) nodes.push_back(node_json("n" + std::to_string(i), 5));
  nodes.insert(nodes.begin() + kNodes / 2, malformed);
  initial_stream(nodes, 10,
                 {event_json("MODIFIED", malformed),
                  event_json("MODIFIED", node_json("n2999", 13, "sandbox://9"))});
  play(kNodes + 2);
  EXPECT_EQ(informer().size(), kNodes);
  EXPECT_EQ(informer().statistics().skipped_objects, 2u);
  EXPECT_EQ(seen_.at(kNodes), "synced");
  EXPECT_EQ(seen_.back(), "change n2999");
  EXPECT_EQ(seen_.size(), kNodes + 2);  // nothing is lost, and nothing is listed again
  EXPECT_EQ(api_.server().requests().size(), 1u);
}

TEST_F(InformerTest, OversizedObjectIsSkipped) {
  timing_.max_object_bytes = 2000;
  initial_stream({node_json("a", 5)}, 10,
                 {event_json("ADDED", node_json("big", 11, std::string(5000, 'x'))),
                  event_json("ADDED", node_json("b", 13))});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "late-add b"));
  EXPECT_EQ(informer().statistics().skipped_objects, 1u);
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

TEST_F(InformerTest, HOST_137_ResyncRepeatsEveryObject) {
  initial_stream({node_json("a", 5)}, 10);
  int resyncs = 0;
  InformerHandler handler;
  handler.resync = std::chrono::milliseconds(2);
  handler.on_update = [&](const ObjectPtr& before, const ObjectPtr& now, bool changed) {
    EXPECT_EQ(before, now);
    EXPECT_FALSE(changed);
    ++resyncs;
  };
  ASSERT_TRUE(informer().subscribe(FieldSet(), handler).ok());
  informer().start();
  run_until([&] { return resyncs >= 3; });
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));  // other handlers keep their own period
}

TEST_F(InformerTest, LateSubscriberGetsTheStoreAsAdds) {
  initial_stream({node_json("a", 5)}, 10);
  play(2);
  std::vector<std::string> late;
  InformerHandler handler;
  handler.on_add = [&](const ObjectPtr& object, bool initial) {
    EXPECT_TRUE(initial);
    late.emplace_back(object->name());
  };
  handler.on_synced = [&] { late.emplace_back("synced"); };
  const auto more = FieldSet::of({"/status/addresses"});
  EXPECT_EQ(informer().subscribe(*more, handler).status().code(), Code::failed_precondition);
  const auto same = FieldSet::of({"/spec/providerID"});
  ASSERT_TRUE(informer().subscribe(*same, handler).ok());
  run_until([&] { return late.size() == 2; });
  EXPECT_THAT(late, ElementsAre("a", "synced"));
}

TEST_F(InformerTest, UnsubscribedHandlerHearsNothing) {
  initial_stream({node_json("a", 5)}, 10);
  int heard = 0;
  InformerHandler handler;
  handler.on_add = [&](const ObjectPtr&, bool) { ++heard; };
  const auto id = informer().subscribe(FieldSet(), handler);
  informer().unsubscribe(*id);
  play(2);
  EXPECT_EQ(heard, 0);
}

TEST_F(InformerTest, StopEndsTheWatchAndKeepsTheStore) {
  initial_stream({node_json("a", 5)}, 10);
  play(2);
  informer().stop();
  loop_.poll();
  api_.release();
  EXPECT_TRUE(api_.server().wait_for_open_connections(0));
  loop_.poll();
  EXPECT_EQ(informer().size(), 1u);
  EXPECT_EQ(api_.server().requests().size(), 1u);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
}

TEST_F(InformerTest, MayOutliveTheLoop) {
  auto loop = std::make_unique<boost::asio::io_context>(1);
  ClientOptions options;
  options.qps = 0;
  initial_stream({node_json("a", 5)}, 10);
  auto watched = std::make_unique<Informer>(
      Client(loop->get_executor(), config_for(api_.server()), options), spec_, timing_);
  auto never_run = std::make_unique<Informer>(
      Client(loop->get_executor(), config_for(api_.server()), options), spec_, timing_);
  watched->start();
  kube::run_until(*loop, [&] { return watched->synced(); });
  never_run->start();
  loop->stop();
}

TEST_F(InformerTest, InformerSetSharesOneInformerForOneSpec) {
  initial_stream({node_json("a", 5)}, 10);
  InformerSet set(client_for(api_.server()), timing_);
  const auto first = set.informer(spec_);
  EXPECT_EQ(first, set.informer(spec_));
  InformerSpec other = spec_;
  other.field_selector = "metadata.name=a";
  EXPECT_NE(first, set.informer(other));
  set.informer(other)->stop();
  set.start();
  run_until([&] { return first->synced(); });
  const Status late = run(set.wait_synced(std::chrono::milliseconds(20)));
  EXPECT_EQ(late.code(), Code::deadline_exceeded);
  EXPECT_THAT(late.message(), testing::HasSubstr("v1/nodes"));
}

}  // namespace
}  // namespace ccm::kube
