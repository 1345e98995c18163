// core/v1 Events as the controllers write them.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class Event : public Contract {
 protected:
  json event(const std::string& name, const json& involved, const std::string& space) const {
    return {{"apiVersion", "v1"},
            {"kind", "Event"},
            {"metadata", {{"name", name}, {"namespace", space}}},
            {"involvedObject", involved},
            {"reason", "Synced"},
            {"message", "the node was synced"},
            {"type", "Normal"},
            {"source", {{"component", "cloud-node-controller"}}},
            {"reportingComponent", "cloud-node-controller"},
            {"reportingInstance", ""},
            {"firstTimestamp", "2026-01-02T03:04:05Z"},
            {"lastTimestamp", "2026-01-02T03:04:05Z"},
            {"count", 1}};
  }
  json about_node() const {
    return {{"kind", "Node"}, {"apiVersion", "v1"}, {"name", "node-1"}, {"uid", "u-1"}};
  }
  static std::string events(const std::string& space) {
    return "/api/v1/namespaces/" + space + "/events";
  }
};

TEST_F(Event, API_109_EventsOnClusterScopedObjectsGoToDefault) {
  const std::string name = unique("node-1.event");
  const json created = must(api().create(events("default"), event(name, about_node(), "default")));
  EXPECT_EQ(created.at("reason"), "Synced");
  EXPECT_EQ(created.at("count"), 1);
  EXPECT_EQ(created.at("source").at("component"), "cloud-node-controller");
  EXPECT_EQ(created.at("involvedObject").at("name"), "node-1");
  EXPECT_EQ(created.at("firstTimestamp"), "2026-01-02T03:04:05Z");
}

TEST_F(Event, API_109_AnywhereElseTheyAreInvalid) {
  const std::string space = namespace_of(make_namespace());
  const KubeResponse response =
      api().create(events(space), event(unique("node-1.event"), about_node(), space));
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
}

TEST_F(Event, API_109_EventsOnNamespacedObjectsShareTheirNamespace) {
  const std::string space = namespace_of(make_namespace());
  const json involved = {{"kind", "Service"}, {"namespace", space}, {"name", "web"}};
  EXPECT_TRUE(api().create(events(space), event(unique("web.event"), involved, space)).ok());
  const KubeResponse wrong =
      api().create(events("default"), event(unique("web.event"), involved, "default"));
  EXPECT_EQ(wrong.status, 422);
}

TEST_F(Event, API_113_RepeatIsAPatchOfCountAndTime) {
  const std::string name = unique("node-1.event");
  must(api().create(events("default"), event(name, about_node(), "default")));
  const json result = must(api().patch(events("default") + "/" + name, kStrategicPatch,
                                       {{"count", 2}, {"lastTimestamp", "2026-01-02T03:05:05Z"}}));
  EXPECT_EQ(result.at("count"), 2);
  EXPECT_EQ(result.at("lastTimestamp"), "2026-01-02T03:05:05Z");
  EXPECT_EQ(result.at("firstTimestamp"), "2026-01-02T03:04:05Z");
}

TEST_F(Event, API_113_PatchOfAnExpiredEventIsNotFound) {
  EXPECT_EQ(
      api().patch(events("default") + "/there-is-none", kStrategicPatch, {{"count", 2}}).status,
      404);
}

TEST_F(Event, API_116_SameNameTwiceIsAlreadyExists) {
  const std::string name = unique("node-1.event");
  must(api().create(events("default"), event(name, about_node(), "default")));
  const KubeResponse response =
      api().create(events("default"), event(name, about_node(), "default"));
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.reason(), "AlreadyExists");
}

TEST_F(Event, API_109_FieldSelectorsFindTheEventsOfAnObject) {
  json involved = about_node();
  involved["name"] = unique("described");
  must(api().create(events("default"), event(unique("described.event"), involved, "default")));
  must(api().create(events("default"), event(unique("other.event"), about_node(), "default")));
  const json list = must(api().get(
      events("default") + "?fieldSelector=involvedObject.kind%3DNode%2CinvolvedObject.name%3D" +
      involved.at("name").get<std::string>()));
  EXPECT_EQ(list.at("kind"), "EventList");
  EXPECT_EQ(list.at("items").size(), 1U);
}

}  // namespace
}  // namespace ccm::contract
