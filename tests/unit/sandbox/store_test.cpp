#include "store/store.hpp"

#include <gtest/gtest.h>

namespace sandbox {
namespace {

Json named(const std::string& name, int generation = 0) {
  return {{"metadata", {{"name", name}, {"generation", generation}}}};
}

std::vector<std::string> keys(const SnapshotPtr& snapshot) {
  std::vector<std::string> result;
  for (const ObjectPtr& object : snapshot->objects) result.push_back(object->key);
  return result;
}

class Recorder : public Watcher {
 public:
  void on_event(const Event& event) override { events.push_back(event); }
  void on_drop(bool cut) override { drops.push_back(cut); }
  std::vector<Event> events;
  std::vector<bool> drops;
};

class StoreTest : public ::testing::Test {
 protected:
  Store store_{2, 3};
  Collection& first_ = store_.collection(0);
};

TEST_F(StoreTest, API_13_EveryWriteTakesTheNextRevisionOfTheWholeStore) {
  Revision before = store_.revision();
  EXPECT_EQ(store_.create(0, "a", named("a"))->revision, before + 1);
  EXPECT_EQ(store_.create(1, "b", named("b"))->revision, before + 2);
  ObjectPtr updated = store_.update(0, "a", named("a", 2));
  EXPECT_EQ(updated->value["metadata"]["resourceVersion"], std::to_string(before + 3));
  EXPECT_EQ(Json::parse(updated->bytes), updated->value);
}

TEST_F(StoreTest, API_24_DeletionCarriesItsOwnRevision) {
  store_.create(0, "a", named("a"));
  ObjectPtr gone = store_.remove(0, "a");
  EXPECT_EQ(gone->revision, store_.revision());
  EXPECT_EQ(first_.find("a"), nullptr);
  EXPECT_EQ(store_.remove(0, "a"), nullptr);
}

TEST_F(StoreTest, WatchersSeeEveryEventWithThePreviousState) {
  Recorder recorder;
  first_.watch(&recorder);
  store_.create(0, "a", named("a"));
  store_.update(0, "a", named("a", 2));
  store_.remove(0, "a");
  store_.create(1, "elsewhere", named("elsewhere"));
  first_.unwatch(&recorder);
  store_.create(0, "later", named("later"));
  ASSERT_EQ(recorder.events.size(), 3u);
  EXPECT_EQ(recorder.events[0].type, EventType::kAdded);
  EXPECT_EQ(recorder.events[0].previous, nullptr);
  EXPECT_EQ(recorder.events[1].previous, recorder.events[0].object);
  EXPECT_EQ(recorder.events[2].type, EventType::kDeleted);
}

TEST_F(StoreTest, PastStatesAreRebuiltFromTheHistory) {
  Revision empty = store_.revision();
  Revision one = store_.create(0, "a", named("a"))->revision;
  Revision two = store_.create(0, "b", named("b"))->revision;
  store_.remove(0, "a");
  EXPECT_EQ(keys(first_.at(empty, store_.revision())), std::vector<std::string>{});
  EXPECT_EQ(keys(first_.at(one, store_.revision())), std::vector<std::string>{"a"});
  EXPECT_EQ(keys(first_.at(two, store_.revision())), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(keys(first_.at(store_.revision(), store_.revision())), std::vector<std::string>{"b"});
  EXPECT_EQ(first_.at(store_.revision() + 1, store_.revision()), nullptr);
}

TEST_F(StoreTest, HistoryIsBoundedAndOldRevisionsAreGone) {
  Revision first = store_.create(0, "a", named("a"))->revision;
  for (int i = 0; i < 3; ++i) store_.update(0, "a", named("a", i));
  EXPECT_EQ(first_.history().size(), 3u);
  EXPECT_EQ(first_.compacted(), first);
  EXPECT_NE(first_.at(first, store_.revision()), nullptr);
  store_.update(0, "a", named("a", 9));
  EXPECT_EQ(first_.at(first, store_.revision()), nullptr);
}

TEST_F(StoreTest, API_18_PinnedStatesOutliveTheHistory) {
  Revision pinned = store_.create(0, "a", named("a"))->revision;
  ASSERT_NE(first_.pin(pinned, store_.revision()), nullptr);
  for (int i = 0; i < 10; ++i) store_.update(0, "a", named("a", i));
  SnapshotPtr snapshot = first_.at(pinned, store_.revision());
  ASSERT_NE(snapshot, nullptr);
  EXPECT_EQ(snapshot->objects[0]->revision, pinned);
}

TEST_F(StoreTest, API_20_ExpiredHistoryTakesPinnedStatesAlong) {
  Revision pinned = store_.create(0, "a", named("a"))->revision;
  first_.pin(pinned, store_.revision());
  store_.expire_history();
  EXPECT_EQ(first_.at(pinned, store_.revision()), nullptr);
  EXPECT_GT(first_.compacted(), pinned);
  EXPECT_NE(first_.at(store_.revision(), store_.revision()), nullptr);
}

TEST_F(StoreTest, API_141_ARestoredCopyBringsItsRevisionAlong) {
  EXPECT_FALSE(store_.restore());
  const Revision kept = store_.create(0, "a", named("a"))->revision;
  store_.back_up();
  store_.create(0, "b", named("b"));
  store_.remove(0, "a");
  Recorder recorder;
  first_.watch(&recorder);
  ASSERT_TRUE(store_.restore());
  EXPECT_EQ(recorder.drops, (std::vector<bool>{true}));
  first_.unwatch(&recorder);
  EXPECT_EQ(store_.revision(), kept);
  EXPECT_NE(first_.find("a"), nullptr);
  EXPECT_EQ(first_.find("b"), nullptr);
  EXPECT_EQ(store_.create(0, "c", named("c"))->revision, kept + 1);
}

TEST_F(StoreTest, DroppedWatchersAreToldHow) {
  Recorder recorder;
  first_.watch(&recorder);
  first_.drop_watches(true);
  first_.drop_watches(false);
  EXPECT_EQ(recorder.drops, (std::vector<bool>{true, false}));
  first_.unwatch(&recorder);
}

}  // namespace
}  // namespace sandbox
