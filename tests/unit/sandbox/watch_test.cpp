#include "api/watch.hpp"

#include "api_fixture.hpp"

namespace sandbox::testing {
namespace {

class Watch : public ApiFixture {
 protected:
  static std::vector<std::string> types(const std::vector<Json>& events) {
    std::vector<std::string> result;
    for (const Json& event : events) result.push_back(event.at("type"));
    return result;
  }
  void label(const std::string& node, const Json& value) {
    Json change;
    change["metadata"]["labels"]["pool"] = value;
    EXPECT_EQ(patch(std::string(kNodes) + "/" + node, change, kMerge).status, 200);
  }
};

using Types = std::vector<std::string>;

TEST_F(Watch, API_23_FromARevisionOnlyWhatCameLater) {
  Json node = make_node("a");
  auto stream = watch("/api/v1/nodes?watch=true&resourceVersion=" + version_of(node));
  EXPECT_TRUE(drain(*stream).empty());
  make_node("b");
  send("DELETE", "/api/v1/nodes/b");
  auto events = drain(*stream);
  EXPECT_EQ(types(events), (Types{"ADDED", "DELETED"}));
  EXPECT_EQ(events[0].at("object").at("kind"), "Node");
  EXPECT_GT(std::stoull(version_of(events[1].at("object"))),
            std::stoull(version_of(events[0].at("object"))));
}

TEST_F(Watch, API_23_WithoutRevisionExistingObjectsComeFirst) {
  make_node("a");
  make_node("b");
  auto stream = watch("/api/v1/nodes?watch=true");
  EXPECT_EQ(types(drain(*stream)), (Types{"ADDED", "ADDED"}));
}

TEST_F(Watch, WakesTheConnectionWhenThereIsSomething) {
  auto stream = watch("/api/v1/nodes?watch=true&resourceVersion=1&labelSelector=pool=x");
  int woken = 0;
  stream->on_ready([&] { ++woken; });
  make_node("a");
  EXPECT_EQ(woken, 0);
  make_node("b", {{"pool", "x"}});
  EXPECT_EQ(woken, 1);
}

TEST_F(Watch, LeavingTheSelectionIsADeletionWithTheLastMatchingState) {
  make_node("a", {{"pool", "x"}});
  auto stream = watch("/api/v1/nodes?watch=true&labelSelector=pool=x");
  drain(*stream);
  label("a", "y");
  auto events = drain(*stream);
  ASSERT_EQ(types(events), Types{"DELETED"});
  EXPECT_EQ(events[0].at("object").at("metadata").at("labels").at("pool"), "x");
  EXPECT_EQ(version_of(events[0].at("object")), version_of(get("/api/v1/nodes/a").body));
  label("a", "x");
  EXPECT_EQ(types(drain(*stream)), Types{"ADDED"});
}

TEST_F(Watch, API_26_TooOldARevisionIsAnErrorInTheStream) {
  Json node = make_node("a");
  send("POST", "/sandbox/expire-history");
  auto stream = watch("/api/v1/nodes?watch=true&resourceVersion=" + version_of(node));
  auto events = drain(*stream);
  ASSERT_EQ(types(events), Types{"ERROR"});
  EXPECT_EQ(events[0].at("object").at("code"), 410);
  EXPECT_EQ(events[0].at("object").at("reason"), "Expired");
}

TEST_F(Watch, API_26_HistoryWindowIsBounded) {
  Json node = make_node("a");
  for (int i = 0; i < 101; ++i) label("a", std::to_string(i));
  auto expired = watch("/api/v1/nodes?watch=true&resourceVersion=" + version_of(node));
  EXPECT_EQ(types(drain(*expired)), Types{"ERROR"});
}

TEST_F(Watch, API_38_StreamedListEndsWithAMarkedBookmark) {
  make_node("a");
  auto stream = watch(
      "/api/v1/nodes?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
      "&allowWatchBookmarks=true");
  auto events = drain(*stream);
  ASSERT_EQ(types(events), (Types{"ADDED", "BOOKMARK"}));
  EXPECT_EQ(events[1].at("object").at("metadata").at("annotations").at("k8s.io/initial-events-end"),
            "true");
  EXPECT_EQ(version_of(events[1].at("object")), version_of(get(kNodes).body));
}

TEST_F(Watch, API_39_StreamedListNeedsItsMatch) {
  EXPECT_EQ(get("/api/v1/nodes?watch=true&sendInitialEvents=true").status, 422);
  EXPECT_EQ(get("/api/v1/nodes?watch=true&resourceVersion=1&resourceVersionMatch=Exact").status,
            422);
}

TEST_F(Watch, API_32_BookmarkComesBeforeTheTimeout) {
  auto stream = watch(
      "/api/v1/nodes?watch=true&resourceVersion=1&allowWatchBookmarks=true"
      "&timeoutSeconds=2");
  auto events = drain(*stream);
  ASSERT_EQ(types(events).back(), "BOOKMARK");
  EXPECT_EQ(version_of(events.back().at("object")), version_of(get(kNodes).body));
}

TEST_F(Watch, DroppedWatchesEndOrAreCut) {
  auto closed = watch("/api/v1/nodes?watch=true");
  send("POST", "/sandbox/drop-watches", {{"resource", "nodes"}, {"mode", "close"}});
  std::string text;
  EXPECT_EQ(closed->pull(text, 1000), http::BodyStream::State::kEnded);
  auto cut = watch("/api/v1/nodes?watch=true");
  auto other = watch("/api/v1/services?watch=true&resourceVersion=1000");
  Answer dropped = send("POST", "/sandbox/drop-watches", {{"resource", "nodes"}, {"mode", "cut"}});
  EXPECT_EQ(cut->pull(text, 1000), http::BodyStream::State::kCut);
  EXPECT_EQ(other->pull(text, 1000), http::BodyStream::State::kMore);
  EXPECT_EQ(send("POST", "/sandbox/drop-watches", {{"mode", "explode"}}).status, 400);
}

TEST_F(Watch, SlowWatcherIsDropped) {
  WatchStream::Options options;
  options.resource = &resource_named("nodes");
  options.timeout = std::chrono::hours(1);
  options.backlog = 3;
  WatchStream stream(server_.store(), options);
  for (const char* name : {"a", "b", "c"}) make_node(name);
  make_node("d");
  std::string text;
  EXPECT_EQ(stream.pull(text, 1000), http::BodyStream::State::kEnded);
}

TEST_F(Watch, OneObjectByItsName) {
  make_node("a");
  make_node("b");
  auto stream = watch("/api/v1/nodes?watch=true&fieldSelector=metadata.name=b");
  EXPECT_EQ(drain(*stream).size(), 1u);
}

}  // namespace
}  // namespace sandbox::testing
