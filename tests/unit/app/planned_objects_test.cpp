#include "app/dry_run/planned_objects.hpp"

#include <gtest/gtest.h>

#include <map>

namespace ccm::app {
namespace {

using kube::ObjectPtr;
using kube::PatchType;

// The informers of Nodes: one cache, all handlers.
struct Nodes final : plugin::ObjectCache, runtime::EventSource {
  [[nodiscard]] ObjectPtr get(std::string_view, std::string_view,
                              std::string_view name) const override {
    const auto found = objects.find(std::string(name));
    return found == objects.end() ? ObjectPtr() : found->second;
  }
  [[nodiscard]] plugin::CacheState state(std::string_view) const override {
    return plugin::CacheState::synced;
  }
  [[nodiscard]] std::vector<ObjectPtr> list(std::string_view, std::string_view) const override {
    std::vector<ObjectPtr> all;
    for (const auto& [name, object] : objects) all.push_back(object);
    return all;
  }
  Status watch(const runtime::WatchSpec&, kube::InformerHandler handler) override {
    handlers.push_back(std::move(handler));
    return {};
  }

  static ObjectPtr node(const std::string& uid, const std::string& spec) {
    return *kube::Object::decode(R"({"metadata":{"name":"n","uid":")" + uid + R"("},"spec":)" +
                                 spec + "}");
  }
  void update(const ObjectPtr& now) {
    const ObjectPtr before = std::exchange(objects["n"], now);
    for (const auto& handler : handlers) handler.on_update(before, now, true);
  }
  void add(const ObjectPtr& object) {
    objects["n"] = object;
    for (const auto& handler : handlers) handler.on_add(object, false);
  }
  void remove() {
    const ObjectPtr last = objects.at("n");
    objects.erase("n");
    for (const auto& handler : handlers) handler.on_delete(last, false);
  }

  std::map<std::string, ObjectPtr> objects{{"n", node("1", R"({"a":"old"})")}};
  std::vector<kube::InformerHandler> handlers;
};

class PlannedObjectsTest : public testing::Test {
 protected:
  PlannedObjectsTest() {
    for (std::vector<std::string>* events : {&first_, &second_}) {
      kube::InformerHandler handler;
      handler.on_add = [events](const ObjectPtr& object, bool) {
        events->push_back("add " + object->json(object->find("/spec")));
      };
      handler.on_update = [events](const ObjectPtr& before, const ObjectPtr& now, bool) {
        events->push_back(before->json(before->find("/spec")) + " -> " +
                          now->json(now->find("/spec")));
      };
      handler.on_delete = [events](const ObjectPtr& last, bool) {
        events->push_back("delete " + last->json(last->find("/spec")));
      };
      EXPECT_TRUE(planned_.watch({"v1/nodes", {}, {}, {}}, handler).ok());
    }
  }
  void patch(const std::string& spec) {
    planned_.patch(kKey, PatchType::merge, R"({"spec":)" + spec + "}");
    loop_.poll();
  }
  std::string seen() {
    const ObjectPtr object = planned_.get("v1/nodes", "", "n");
    return object ? object->json(object->find("/spec")) : "none";
  }
  void expect_both(const std::vector<std::string>& events) {
    EXPECT_EQ(first_, events);
    EXPECT_EQ(second_, events);
    first_.clear();
    second_.clear();
  }

  const PlannedObjects::Key kKey{"v1/nodes", "", "n"};
  runtime::EventLoop loop_;
  Nodes nodes_;
  PlannedObjects planned_{nodes_, nodes_, loop_};
  std::vector<std::string> first_;
  std::vector<std::string> second_;
};

TEST_F(PlannedObjectsTest, AWriteIsSeenByEverybody) {
  patch(R"({"id":"x"})");
  EXPECT_EQ(seen(), R"({"a":"old","id":"x"})");
  ASSERT_EQ(planned_.list("v1/nodes", "").size(), 1U);
  expect_both({R"({"a":"old"} -> {"a":"old","id":"x"})"});
  const auto fresh = planned_.applied(kKey, std::string(R"({"spec":{"a":"live"}})"));
  ASSERT_TRUE(fresh.ok());
  EXPECT_EQ(*fresh, R"({"spec":{"a":"live","id":"x"}})");
}

TEST_F(PlannedObjectsTest, AForeignWriteShowsEachSubscriberItsChangeBelowOurs) {
  patch(R"({"id":"x"})");
  expect_both({R"({"a":"old"} -> {"a":"old","id":"x"})"});
  nodes_.update(Nodes::node("1", R"({"a":"new"})"));
  expect_both({R"({"a":"old","id":"x"} -> {"a":"new","id":"x"})"});
  EXPECT_EQ(seen(), R"({"a":"new","id":"x"})");
}

TEST_F(PlannedObjectsTest, ADeletedObjectIsGoneAndItsEventsAreSwallowed) {
  planned_.remove(kKey);
  loop_.poll();
  expect_both({R"(delete {"a":"old"})"});
  EXPECT_EQ(seen(), "none");
  EXPECT_TRUE(planned_.list("v1/nodes", "").empty());
  EXPECT_EQ(planned_.applied(kKey, std::string("{}")).status().code(), Code::not_found);
  nodes_.update(Nodes::node("1", R"({"a":"new"})"));
  nodes_.remove();
  expect_both({});
}

TEST_F(PlannedObjectsTest, ALaterObjectOfTheNameIsAnotherOne) {
  patch(R"({"id":"x"})");
  expect_both({R"({"a":"old"} -> {"a":"old","id":"x"})"});
  nodes_.remove();
  loop_.poll();
  expect_both({R"(delete {"a":"old","id":"x"})"});
  nodes_.add(Nodes::node("2", R"({"a":"other"})"));
  expect_both({R"(add {"a":"other"})"});
  EXPECT_EQ(seen(), R"({"a":"other"})");
}

}  // namespace
}  // namespace ccm::app
