// Lists, events, handlers and the end of an informer.
#include "kube/informer.hpp"

#include "informer_fixture.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using testing::ElementsAre;

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
  EXPECT_EQ(informer().list().size(), 2u);
  EXPECT_EQ(api_.server().requests().size(), 1u);
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

TEST_F(InformerTest, DeletionWithinTheInitialEventsCounts) {
  api_.expect_watch({"sendInitialEvents=true"},
                    {event_json("ADDED", node_json("a", 5)), event_json("ADDED", node_json("b", 5)),
                     event_json("DELETED", node_json("a", 7)), bookmark_json(10, true)});
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add b", "synced"));
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
  EXPECT_EQ(informer().subscribe(*more, handler).code(), Code::failed_precondition);
  const auto same = FieldSet::of({"/spec/providerID"});
  ASSERT_TRUE(informer().subscribe(*same, handler).ok());
  run_until([&] { return late.size() == 2; });
  EXPECT_THAT(late, ElementsAre("a", "synced"));
}

TEST_F(InformerTest, StopEndsTheWatchAndKeepsTheStore) {
  initial_stream({node_json("a", 5)}, 10);
  play(2);
  informer().stop();
  loop_.poll();
  api_.release();
  EXPECT_TRUE(api_.server().wait_for_open_connections(0));
  loop_.poll();
  EXPECT_EQ(informer().list().size(), 1u);
  EXPECT_EQ(api_.server().requests().size(), 1u);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
}

TEST_F(InformerTest, MayEndWhileItsLoopHoldsItsWork) {
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
  const std::size_t asked = api_.server().requests().size();
  never_run->start();
  loop->stop();
  EXPECT_TRUE(watched->synced());
  EXPECT_FALSE(never_run->synced());
  watched.reset();
  never_run.reset();
  loop.reset();
  EXPECT_EQ(api_.server().requests().size(), asked) << "only one of them ran";
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
}

}  // namespace
}  // namespace ccm::kube
