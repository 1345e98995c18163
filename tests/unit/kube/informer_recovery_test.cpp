// Watches and lists that end, expire or fail.
#include "base/log.hpp"
#include "informer_fixture.hpp"
#include "kube/informer.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

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
  EXPECT_EQ(informer().list().size(), 1u);
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

// kubernetes#140890, teleport#64188, kcp#4384: proxies and stand-ins for etcd that drop bookmarks.
class EndlessStreamTest : public InformerTest {
 protected:
  EndlessStreamTest() { timing_.streamed_limit = std::chrono::milliseconds(300); }

  // Objects and changes, one each 100 ms, and never the bookmark.
  void endless_stream(std::vector<std::string> parts) {
    std::vector<std::string> events(200, event_json("ADDED", node_json("ghost", 4)));
    ServerReply reply = api_.stream_reply(std::move(events), End::close);
    reply.before_chunk = [](std::size_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    };
    parts.emplace_back("sendInitialEvents=true");
    api_.expect(std::move(parts), std::move(reply));
  }
  void expect_pages(int version) {
    api_.expect({"limit=500", "!watch"}, json_reply(list_json(version, {node_json("a", 5)})));
    api_.expect_watch({"resourceVersion=" + std::to_string(version), "!sendInitialEvents"}, {});
  }
};

TEST_F(EndlessStreamTest, Kubernetes140890_ChangesDoNotProlongAListWithoutItsBookmark) {
  endless_stream({});
  expect_pages(10);
  const auto begin = std::chrono::steady_clock::now();
  play(2);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
  EXPECT_EQ(informer().get("", "ghost"), nullptr);
}

TEST_F(EndlessStreamTest, Kubernetes140890_SilenceEndsItAsSoon) {
  api_.expect_watch({"sendInitialEvents=true"}, {event_json("ADDED", node_json("ghost", 4))});
  expect_pages(10);
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
}

TEST_F(EndlessStreamTest, Kubernetes140890_AProxyThatKeepsTheWholeAnswerToo) {
  ServerReply kept;
  kept.delay = std::chrono::seconds(30);
  api_.expect({"sendInitialEvents=true"}, kept);
  expect_pages(10);
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
}

// One that cuts it each time: together they have no more time than one.
TEST_F(EndlessStreamTest, Kubernetes140890_StreamsThatAreCutCountTogether) {
  timing_.streamed_limit = std::chrono::seconds(3);  // the first has time on a busy machine, too
  for (int time = 0; time < 2; ++time) {
    ServerReply reply = api_.stream_reply({event_json("ADDED", node_json("ghost", 4))}, End::cut);
    reply.before_chunk = [](std::size_t index) {
      if (index == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1'600));
    };
    api_.expect({"sendInitialEvents=true"}, std::move(reply));
  }
  expect_pages(10);
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
}

// The relist after a 410, for which the server has streamed well so far.
TEST_F(EndlessStreamTest, Kubernetes140890_OfARelistToo) {
  initial_stream({node_json("a", 5)}, 10, {error_event(410, "Expired")});
  endless_stream({"resourceVersion=10"});
  api_.expect({"resourceVersion=10", "!watch"}, json_reply(list_json(20, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=20", "!sendInitialEvents"}, {});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "same a"));
}

TEST_F(EndlessStreamTest, Kubernetes140890_IsFoundOutOnceForAllInformers) {
  int reported = 0;
  log::redirect([&reported](std::string_view line) {
    if (line.find("KUBE_FEATURE_WatchListClient=false") != std::string_view::npos) ++reported;
  });
  InformerSet informers(client_for(api_.server()), timing_);
  InformerSpec other = spec_;
  other.label_selector = "other";
  api_.expect_watch({"sendInitialEvents=true", "!labelSelector"}, {});
  expect_pages(10);
  const auto first = informers.informer(spec_);
  informers.start();
  run_until([&] { return first->synced() && api_.left() == 0; });
  api_.expect({"labelSelector=other", "limit=500", "!watch"}, json_reply(list_json(11, {})));
  api_.expect_watch({"labelSelector=other", "resourceVersion=11", "!sendInitialEvents"}, {});
  const auto second = informers.informer(other);
  run_until([&] { return second->synced() && api_.left() == 0; });
  log::redirect({});
  EXPECT_EQ(reported, 1);
}

// Not when the server was away as a whole: the stream may do next time.
TEST_F(EndlessStreamTest, AServerThatAnswersNothingIsNotTakenForOneWithoutBookmarks) {
  api_.expect_watch({"sendInitialEvents=true"}, {});
  api_.expect({"!watch", "limit=500"}, status_reply(503, "ServiceUnavailable"));
  api_.expect({"!watch", "limit=500"}, json_reply(list_json(10, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=10", "!sendInitialEvents"}, {});
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
}

// An API server, or a proxy before it, that never comes to an end.
class EndlessListTest : public InformerTest {
 protected:
  EndlessListTest() {
    timing_.streamed_lists = false;
    timing_.backoff_initial = timing_.backoff_limit = std::chrono::hours(1);
  }
  std::string failure() {
    informer().start();
    run_until([this] { return !informer().last_failure().ok(); });
    EXPECT_FALSE(informer().synced()) << "a part of a list is none";
    EXPECT_EQ(informer().list().size(), 0u);
    return informer().last_failure().message();
  }
  static std::vector<std::string> nodes(int first, int count) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(node_json("n" + std::to_string(first + i), 5));
    return all;
  }
};

TEST_F(EndlessListTest, Issue37_13_PagesWithoutEndAreAFailureWithinTheirTime) {
  timing_.list_limit = std::chrono::milliseconds(100);
  for (int page = 0; page < 20'000; ++page) {  // more than anybody reads in that time
    api_.expect({"limit=500"}, json_reply(list_json(10, {}, "again")));
  }
  EXPECT_EQ(failure(), "list v1/nodes: it has no end");
}

TEST_F(EndlessListTest, Issue37_13_ObjectsThatDripAreAFailureWithinTheirTime) {
  timing_.list_limit = std::chrono::milliseconds(300);
  std::vector<std::string> pieces(200, "\n");
  const std::string list = list_json(10, nodes(0, 1));
  pieces.insert(pieces.begin(), list.substr(0, list.size() - 4) + ",");
  ServerReply reply = api_.stream_reply(std::move(pieces), End::close);
  reply.before_chunk = [](std::size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  api_.expect({"limit=500"}, std::move(reply));
  EXPECT_EQ(failure(), "list v1/nodes: it has no end");
}

TEST_F(EndlessListTest, Issue37_13_ObjectsWithoutEndCostNoMoreThanTheirLimit) {
  timing_.max_list_bytes = 1u << 20;
  for (int page = 0; page < 100; ++page) {
    api_.expect({"limit=500"}, json_reply(list_json(10, nodes(page * 200, 200), "more")));
  }
  EXPECT_TRUE(failure().starts_with("list v1/nodes: it holds more than 1 MiB in ")) << failure();
}

TEST_F(EndlessListTest, Issue37_13_AStreamedListToo) {
  timing_.streamed_lists = true;
  timing_.max_list_bytes = 1u << 20;
  std::vector<std::string> events;
  for (const std::string& node : nodes(0, 20'000)) events.push_back(event_json("ADDED", node));
  api_.expect_watch({"sendInitialEvents=true"}, std::move(events));
  api_.expect({"limit=500", "!watch"}, json_reply(list_json(10, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=10"}, {});
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
}

TEST_F(EndlessListTest, Issue37_13_ObjectsThatAreNoneAreOneLineOfTheLog) {
  int lines = 0;
  log::redirect([&lines](std::string_view line) {
    if (line.find("Skipped an object") != std::string_view::npos) ++lines;
  });
  const std::vector<std::string> broken(1'000, R"({"metadata":7})");
  api_.expect({"limit=500"}, json_reply(list_json(10, broken)));
  api_.expect_watch({"resourceVersion=10"}, {});
  play(1);
  log::redirect({});
  EXPECT_EQ(informer().statistics().skipped_objects, 1'000u);
  EXPECT_EQ(lines, 1);
}

// API-141: etcd restored from a copy. kube-apiserver takes a watch from a version of its future.
class RestoredTest : public InformerTest {
 protected:
  RestoredTest() { timing_.verify_versions = true; }
};

TEST_F(RestoredTest, Issue37_10_AWatchDoesNotGoOnFromAVersionOfTheFuture) {
  initial_stream({node_json("a", 5), node_json("b", 9)}, 10, {}, End::close);
  api_.expect({"!watch", "limit=1", "!resourceVersion"},
              json_reply(list_json(7, {node_json("a", 5)}, "more")));
  initial_stream({node_json("a", 5)}, 7);
  play(5);
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced", "same a", "lost b"));
  EXPECT_EQ(informer().resource_version(), "7");
}

TEST_F(RestoredTest, Issue37_10_WhoeverIsToldDecidesBeforeAnyHandler) {
  std::vector<std::string> reported;
  InformerSet informers(client_for(api_.server()), timing_, [&](const std::string& reason) {
    reported.push_back(reason + ", with " + std::to_string(seen_.size()) + " seen");
  });
  initial_stream({node_json("a", 5), node_json("b", 9)}, 10, {error_event(410, "Expired")});
  // A list that asks for what was seen is too new, the newest state is older.
  api_.expect({"sendInitialEvents=true", "resourceVersion=10"},
              status_reply(504, "Timeout", "Too large",
                           R"({"causes":[{"reason":"ResourceVersionTooLarge"}]})"));
  initial_stream({node_json("a", 5)}, 7);
  const auto one = informers.informer(spec_);
  InformerHandler handler;
  handler.on_delete = [this](const ObjectPtr&, bool) { seen_.emplace_back("lost"); };
  ASSERT_TRUE(one->subscribe(FieldSet(), handler).ok());
  informers.start();
  run_until([&] { return !seen_.empty() && api_.left() == 0; });
  EXPECT_THAT(reported,
              ElementsAre("the newest resourceVersion of v1/nodes is 7 after 10, with 0 seen"));
}

TEST_F(RestoredTest, AWatchGoesOnWhenNothingWasRestored) {
  initial_stream({node_json("a", 5)}, 10, {bookmark_json(17)}, End::close);
  api_.expect({"!watch", "limit=1"}, status_reply(503, "ServiceUnavailable"));
  api_.expect({"!watch", "limit=1"}, json_reply(list_json(17, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=17"}, {event_json("ADDED", node_json("b", 18))});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "late-add b"));
  EXPECT_EQ(informer().statistics().lists, 1u);
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
