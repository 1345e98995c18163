// The objects that a plain class has made, through the C ABI and back.
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/owned_calls.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeHost;
using testing::ListOwned;
using testing::RemoveOwned;

OwnedObject full_object() {
  OwnedObject object;
  object.kind = CCM_OWNED_ROUTE;
  object.id = "r-1";
  object.name = "route";
  object.cluster = "mine";
  object.address = "10.0.0.1";
  object.services = {{"default/web", "uid-1"}, {"", "uid-2"}};
  object.node = "worker";
  object.destination_cidr = "10.244.1.0/24";
  object.shared = true;
  return object;
}

bool same_object(const OwnedObject& left, const OwnedObject& right) {
  return left.kind == right.kind && left.id == right.id && left.name == right.name &&
         left.cluster == right.cluster && left.address == right.address &&
         left.services == right.services && left.node == right.node &&
         left.destination_cidr == right.destination_cidr && left.no_cluster == right.no_cluster &&
         left.shared == right.shared;
}

struct OwningProvider {
  explicit OwningProvider(Host&) {}
  Result<InstanceList> list(const Ctx&) { return InstanceList(); }
  Result<std::vector<OwnedObject>> list_owned(const Ctx&, ClusterNames cluster) {
    seen = std::move(cluster);
    OwnedObject unknown;
    unknown.kind = CCM_OWNED_LOAD_BALANCER;
    unknown.id = "lb-1";
    unknown.no_cluster = true;
    return std::vector<OwnedObject>{full_object(), unknown};
  }
  Status remove_owned(const Ctx&, ClusterNames cluster, OwnedObject object) {
    seen = std::move(cluster);
    removed = std::move(object);
    return Status(Code::unavailable, ErrorClass::waiting, "soon");
  }
  static inline ClusterNames seen;
  static inline OwnedObject removed;
};

struct ListsAlone {
  explicit ListsAlone(Host&) {}
  Result<InstanceList> list(const Ctx&) { return InstanceList(); }
  Result<std::vector<OwnedObject>> list_owned(const Ctx&, const ClusterNames&) {
    return std::vector<OwnedObject>();
  }
};

struct OwnsNothing {
  explicit OwnsNothing(Host&) {}
  Result<InstanceList> list(const Ctx&) { return InstanceList(); }
};

TEST(OwnedAdapterTest, ValuesSurviveTheWayThroughTheAbi) {
  FakeHost host;
  FakeComponent component(host, testing::plugin_of<OwningProvider, Dispatch::workers>(), "test");
  const auto table = component.interface<ccm_cloud_owned>(CCM_CLOUD_OWNED);
  ASSERT_TRUE(table);
  const ClusterNames cluster{{"mine", "uid"}, true};
  const auto objects =
      component.finish(component.start("list", ListOwned{table, component.ctx(), cluster}));
  ASSERT_TRUE(objects.ok()) << objects.status().message();
  ASSERT_EQ(objects->size(), 2U);
  EXPECT_TRUE(same_object(objects->front(), full_object()));
  EXPECT_TRUE(objects->back().no_cluster);
  EXPECT_EQ(OwningProvider::seen.names, cluster.names);
  EXPECT_TRUE(OwningProvider::seen.given);
  const Status removed = component.finish(component.start(
      "remove", RemoveOwned{table, component.ctx(), {{"mine"}, false}, full_object()}));
  EXPECT_EQ(removed.error_class(), ErrorClass::waiting);
  EXPECT_TRUE(same_object(OwningProvider::removed, full_object()));
  EXPECT_FALSE(OwningProvider::seen.given);
  EXPECT_FALSE(OwningProvider::seen.confirmed);
  (void)component.finish(component.start(
      "remove", RemoveOwned{table, component.ctx(), {{"mine"}, true, true}, full_object()}));
  EXPECT_TRUE(OwningProvider::seen.given && OwningProvider::seen.confirmed);
}

TEST(OwnedAdapterTest, TheInterfaceIsThereWithBothMethodsAlone) {
  FakeHost host;
  FakeComponent lists(host, testing::plugin_of<ListsAlone, Dispatch::workers>(), "test");
  EXPECT_FALSE(lists.interface<ccm_cloud_owned>(CCM_CLOUD_OWNED));
  FakeComponent nothing(host, testing::plugin_of<OwnsNothing, Dispatch::workers>(), "test");
  EXPECT_FALSE(nothing.interface<ccm_cloud_owned>(CCM_CLOUD_OWNED));
}

TEST(OwnedAdapterTest, R_6_AnObjectWithAnUnknownFlagIsNotRemoved) {
  FakeHost host;
  FakeComponent component(host, testing::plugin_of<OwningProvider, Dispatch::workers>(), "test");
  struct Unknown : RemoveOwned {
    Status start(ccm_completion done) const {
      const detail::ClusterNamesC names(cluster);
      auto raw = sized<ccm_owned_object>();
      raw.flags = 1U << 30;
      auto request = names.request<ccm_remove_owned_request>();
      request.object = &raw;
      table.get (&ccm_cloud_owned::remove)(table.self(), ctx.get(), &request, done);
      return {};
    }
  };
  const auto table = component.interface<ccm_cloud_owned>(CCM_CLOUD_OWNED);
  Unknown call;
  call.table = table;
  call.ctx = component.ctx();
  const Status refused = component.finish(component.start("remove", call));
  EXPECT_EQ(refused.code(), Code::unimplemented) << refused.message();
  EXPECT_EQ(refused.reason(), CCM_REASON_UNKNOWN_REQUEST);
}

}  // namespace
}  // namespace ccm
