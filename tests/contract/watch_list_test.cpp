// Streamed lists: a watch that begins with all objects and marks where the list ends.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class WatchList : public Contract {
 protected:
  static inline const std::string kAsk =
      "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

  // Reads ADDED events up to the bookmark that ends the list; the bookmark's object.
  json read_list(WatchStream& stream, std::vector<std::string>& found) {
    while (const auto event = stream.next()) {
      const json& object = event->at("object");
      if (event->at("type") == "BOOKMARK") {
        EXPECT_EQ(object.at("metadata").at("annotations").at("k8s.io/initial-events-end"), "true");
        return object;
      }
      EXPECT_EQ(event->at("type"), "ADDED");
      found.push_back(object.at("metadata").at("name"));
    }
    ADD_FAILURE() << "the list has no end";
    return {{"metadata", {{"resourceVersion", "0"}}}};
  }
};

TEST_F(WatchList, API_38_ObjectsThenTheMarkThenChanges) {
  const json one = create_node();
  const json two = create_node();
  WatchStream stream = api().watch(kNodes + "?" + selector() + kAsk);
  ASSERT_EQ(stream.status(), 200);
  std::vector<std::string> found;
  const json mark = read_list(stream, found);
  EXPECT_EQ(found.size(), 2U);
  EXPECT_GE(std::stoll(version(mark)), std::stoll(version(two)));
  EXPECT_EQ(mark.at("kind"), "Node");
  must(api().remove(node_path(one)));
  const auto event = stream.next_change();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->at("type"), "DELETED");
}

TEST_F(WatchList, API_38_EmptyListIsJustTheMark) {
  WatchStream stream = api().watch(kNodes + "?labelSelector=contract%3Dnobody" + kAsk);
  std::vector<std::string> found;
  const json mark = read_list(stream, found);
  EXPECT_TRUE(found.empty());
  EXPECT_NE(version(mark), "0");
}

TEST_F(WatchList, API_38_VersionIsALowerBound) {
  const json created = create_node();
  for (const std::string& at : {std::string("0"), version(created)}) {
    WatchStream stream = api().watch(kNodes + "?" + selector() + kAsk + "&resourceVersion=" + at);
    std::vector<std::string> found;
    const json mark = read_list(stream, found);
    EXPECT_EQ(found.size(), 1U) << at;
    EXPECT_GE(std::stoll(version(mark)), std::stoll(at));
  }
}

TEST_F(WatchList, API_39_WithoutTheMatchItIsInvalid) {
  for (const char* query : {"sendInitialEvents=true&allowWatchBookmarks=true",
                            "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersion=1&"
                            "resourceVersionMatch=Exact"}) {
    EXPECT_EQ(api().watch(kNodes + "?" + query).status(), 422) << query;
  }
}

TEST_F(WatchList, API_39_MatchWithoutSendInitialEventsIsInvalidOnWatch) {
  EXPECT_EQ(api().watch(kNodes + "?resourceVersion=1&resourceVersionMatch=NotOlderThan").status(),
            422);
}

TEST_F(WatchList, API_38_FalseMeansAnOrdinaryWatch) {
  create_node();
  WatchStream stream = api().watch(
      kNodes + "?" + selector() +
      "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  ASSERT_EQ(stream.status(), 200);
  const json later = create_node();
  const auto event = stream.next_change();
  ASSERT_TRUE(event);
  // The node that existed before is not announced.
  EXPECT_EQ(event->at("object").at("metadata").at("name"), later.at("metadata").at("name"));
}

TEST_F(WatchList, API_38_HundredsOfObjectsArriveBeforeTheMark) {
  const std::string space = make_namespace();
  constexpr int kCount = 300;
  for (int i = 0; i < kCount; ++i) create_config_map(space, "m" + std::to_string(i));
  WatchStream stream = api().watch(space + "/configmaps?" + kAsk.substr(1));
  std::vector<std::string> found;
  read_list(stream, found);
  EXPECT_EQ(found.size(), static_cast<std::size_t>(kCount));
}

}  // namespace
}  // namespace ccm::contract
