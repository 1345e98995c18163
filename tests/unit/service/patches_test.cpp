// The form of the one write to a Service.
#include "service/patches.hpp"

#include "service/conditions.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::service {
namespace {

using Parsed = nlohmann::json;

ServiceState a_service() {
  ServiceState state;
  state.name = "web";
  state.namespace_name = "shop";
  state.uid = "u-1";
  return state;
}

TEST(PatchesTest, SVC_39_40_TheStatusSubresourceOfThatServiceAlone) {
  ServicePatch patch;
  EXPECT_TRUE(patch.empty());
  patch.finalizer = ServicePatch::Finalizer::add;
  EXPECT_FALSE(patch.empty());
  const KubePatch rendered = patch.render(a_service());
  EXPECT_EQ(rendered.type, PatchType::strategic);
  EXPECT_EQ(rendered.reference.resource, "v1/services");
  EXPECT_EQ(rendered.reference.namespace_name, "shop");
  EXPECT_EQ(rendered.reference.name, "web");
  EXPECT_EQ(rendered.reference.subresource, "status");
  EXPECT_EQ(Parsed::parse(rendered.body), Parsed::parse(R"({"metadata": {"uid": "u-1", "finalizers":
                        ["service.kubernetes.io/load-balancer-cleanup"]}})"));
}

TEST(PatchesTest, SVC_41_RemovingNamesNoOtherFinalizer) {
  ServicePatch patch;
  patch.finalizer = ServicePatch::Finalizer::remove;
  EXPECT_EQ(Parsed::parse(patch.render(a_service()).body),
            Parsed::parse(R"({"metadata": {"uid": "u-1", "$deleteFromPrimitiveList/finalizers":
                        ["service.kubernetes.io/load-balancer-cleanup"]}})"));
}

TEST(PatchesTest, SVC_40_41_OtherFinalizersKeepTheirPlace) {
  ServiceState state = a_service();
  state.other_finalizers = {"example.com/a", "example.com/b"};
  ServicePatch patch;
  patch.finalizer = ServicePatch::Finalizer::add;
  EXPECT_EQ(Parsed::parse(patch.render(state).body)["metadata"], Parsed::parse(R"({
    "uid": "u-1", "finalizers": ["service.kubernetes.io/load-balancer-cleanup"],
    "$setElementOrder/finalizers": ["example.com/a", "example.com/b",
                                    "service.kubernetes.io/load-balancer-cleanup"]})"));
  patch.finalizer = ServicePatch::Finalizer::remove;
  EXPECT_EQ(Parsed::parse(patch.render(state).body)["metadata"], Parsed::parse(R"({
    "uid": "u-1",
    "$deleteFromPrimitiveList/finalizers": ["service.kubernetes.io/load-balancer-cleanup"],
    "$setElementOrder/finalizers": ["example.com/a", "example.com/b"]})"));
}

TEST(PatchesTest, SVC_42_TheIngressIsReplacedWhole) {
  ServiceState state = a_service();
  Ingress ingress;
  ingress.ip = "192.0.2.1";
  ServicePatch patch;
  patch.set_ingress(state, {ingress});
  EXPECT_EQ(Parsed::parse(patch.render(state).body),
            Parsed::parse(R"({"metadata": {"uid": "u-1"}, "status": {"loadBalancer":
                        {"ingress": [{"ip": "192.0.2.1", "ipMode": "VIP"}]}}})"));
  state.ingress = {ingress};
  ServicePatch same;
  same.set_ingress(state, {ingress});
  EXPECT_TRUE(same.empty());
  ServicePatch cleared;
  cleared.set_ingress(state, {});
  EXPECT_EQ(Parsed::parse(cleared.render(state).body),
            Parsed::parse(R"({"metadata": {"uid": "u-1"}, "status": {"loadBalancer":
                        {"ingress": null}}})"));
}

TEST(PatchesTest, AnnotationsThatAreSoAlreadyAreNotWritten) {
  ServiceState state = a_service();
  state.annotations = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
  ServicePatch patch;
  patch.annotate(state, "a", "1");
  patch.annotate(state, "b", "");
  patch.annotate(state, "c", "4");
  patch.annotate(state, "d", "");
  patch.annotate(state, "e", "5");
  EXPECT_EQ(Parsed::parse(patch.render(state).body)["metadata"]["annotations"],
            Parsed::parse(R"({"b": null, "c": "4", "e": "5"})"));
}

TEST(PatchesTest, SVC_44_ConditionsOfOthersAreNotNamed) {
  ServiceState state = a_service();
  state.conditions = {{"LoadBalancerPortsError", true, "R", "m", "t"}};
  ServicePatch patch;
  patch.conditions.push_back(timed(nullptr, ready(true, "Ready", "fine"), {}));
  patch.remove_condition(state, "LoadBalancerPortsError");
  patch.remove_condition(state, "example.com/NotThere");
  EXPECT_EQ(Parsed::parse(patch.render(state).body)["status"]["conditions"], Parsed::parse(R"([
    {"type": "cloud-controller-manager/LoadBalancerReady", "status": "True", "reason": "Ready",
     "message": "fine", "lastTransitionTime": "1970-01-01T00:00:00Z"},
    {"$patch": "delete", "type": "LoadBalancerPortsError"}])"));
}

}  // namespace
}  // namespace ccm::service
