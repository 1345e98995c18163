// Objects that are malformed, foreign or too large.
#include "informer_fixture.hpp"
#include "kube/informer.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using testing::ElementsAre;

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
  EXPECT_EQ(informer().list().size(), kNodes);
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

}  // namespace
}  // namespace ccm::kube
