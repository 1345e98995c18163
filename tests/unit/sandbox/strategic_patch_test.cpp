#include "api/patch/patch.hpp"

#include <gtest/gtest.h>

namespace sandbox {
namespace {

Json patched(const char* kind, const char* object, const char* patch) {
  return apply_strategic_patch(Json::parse(object), Json::parse(patch), *find_schema(kind));
}

TEST(StrategicPatch, API_52a_AddressesMergeByType) {
  EXPECT_EQ(patched("Node", R"({"status":{"addresses":[{"type":"InternalIP","address":"1"},
                                                       {"type":"Hostname","address":"h"}]}})",
                    R"({"status":{"addresses":[{"type":"InternalIP","address":"2"}]}})")
                .at("status")
                .at("addresses"),
            Json::parse(R"([{"type":"InternalIP","address":"2"},
                            {"type":"Hostname","address":"h"}])"));
}

TEST(StrategicPatch, API_52b_ConditionsMergeByType) {
  Json conditions =
      patched("Node", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})",
              R"({"status":{"conditions":[{"type":"Net","status":"False"},
                                                        {"type":"Ready","reason":"x"}]}})")
          .at("status")
          .at("conditions");
  ASSERT_EQ(conditions.size(), 2u);
  EXPECT_EQ(conditions[0].at("type"), "Net");
  EXPECT_EQ(conditions[1], Json::parse(R"({"type":"Ready","status":"True","reason":"x"})"));
}

TEST(StrategicPatch, API_52c_TaintsAreReplacedWhole) {
  EXPECT_EQ(patched("Node", R"({"spec":{"taints":[{"key":"a"},{"key":"b"}]}})",
                    R"({"spec":{"taints":[{"key":"c"}]}})"),
            Json::parse(R"({"spec":{"taints":[{"key":"c"}]}})"));
}

TEST(StrategicPatch, API_52d_PodCidrsAreUnited) {
  EXPECT_EQ(patched("Node", R"({"spec":{"podCIDRs":["a"]}})", R"({"spec":{"podCIDRs":["b","a"]}})")
                .at("spec")
                .at("podCIDRs")
                .size(),
            2u);
}

TEST(StrategicPatch, API_52f_ServicePortsMergeByPort) {
  Json ports = patched("Service", R"({"spec":{"ports":[{"port":80,"name":"a"},{"port":443}]}})",
                       R"({"spec":{"ports":[{"port":80,"nodePort":30000}]}})")
                   .at("spec")
                   .at("ports");
  EXPECT_EQ(ports[0], Json::parse(R"({"port":80,"name":"a","nodePort":30000})"));
  EXPECT_EQ(ports.size(), 2u);
}

TEST(StrategicPatch, API_52g_IngressIsAtomic) {
  EXPECT_EQ(patched("Service", R"({"status":{"loadBalancer":{"ingress":[{"ip":"1"},{"ip":"2"}]}}})",
                    R"({"status":{"loadBalancer":{"ingress":[{"ip":"3"}]}}})"),
            Json::parse(R"({"status":{"loadBalancer":{"ingress":[{"ip":"3"}]}}})"));
}

TEST(StrategicPatch, API_52h_NullDeletesALabel) {
  EXPECT_EQ(patched("Node", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                    R"({"metadata":{"labels":{"a":null,"c":"3"}}})"),
            Json::parse(R"({"metadata":{"labels":{"b":"2","c":"3"}}})"));
}

TEST(StrategicPatch, API_53_ReplaceDirectiveInAList) {
  EXPECT_EQ(patched("Node", R"({"status":{"addresses":[{"type":"A"},{"type":"B"}]}})",
                    R"({"status":{"addresses":[{"$patch":"replace"},{"type":"C"}]}})"),
            Json::parse(R"({"status":{"addresses":[{"type":"C"}]}})"));
}

TEST(StrategicPatch, API_53_DeleteDirectiveInAList) {
  EXPECT_EQ(patched("Node", R"({"status":{"addresses":[{"type":"A"},{"type":"B"}]}})",
                    R"({"status":{"addresses":[{"$patch":"delete","type":"A"}]}})"),
            Json::parse(R"({"status":{"addresses":[{"type":"B"}]}})"));
  EXPECT_THROW(patched("Node", R"({"status":{"addresses":[{"type":"A"}]}})",
                       R"({"status":{"addresses":[{"$patch":"delete"}]}})"),
               PatchError);
}

TEST(StrategicPatch, API_53_ReplaceDirectiveInAMap) {
  EXPECT_EQ(patched("Node", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                    R"({"metadata":{"labels":{"$patch":"replace","c":"3"}}})"),
            Json::parse(R"({"metadata":{"labels":{"c":"3"}}})"));
}

TEST(StrategicPatch, API_53_DeleteFromPrimitiveList) {
  EXPECT_EQ(patched("Node", R"({"metadata":{"finalizers":["a/b","c/d"]}})",
                    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a/b"]}})"),
            Json::parse(R"({"metadata":{"finalizers":["c/d"]}})"));
}

TEST(StrategicPatch, API_53_SetElementOrderSortsAndChecks) {
  const char* node = R"({"status":{"addresses":[{"type":"A"},{"type":"B"}]}})";
  Json sorted = patched("Node", node, R"({"status":{
      "$setElementOrder/addresses":[{"type":"C"},{"type":"B"},{"type":"A"}],
      "addresses":[{"type":"C","address":"x"}]}})");
  EXPECT_EQ(sorted.at("status").at("addresses"),
            Json::parse(R"([{"type":"C","address":"x"},{"type":"B"},{"type":"A"}])"));
  EXPECT_THROW(patched("Node", node, R"({"status":{"$setElementOrder/addresses":[{"type":"A"}],
                                                   "addresses":[{"type":"C"}]}})"),
               PatchError);
}

TEST(StrategicPatch, API_53_RetainKeysDropsTheOthers) {
  EXPECT_EQ(patched("Node", R"({"spec":{"providerID":"a","podCIDR":"b"}})",
                    R"({"spec":{"$retainKeys":["unschedulable"],"unschedulable":true}})"),
            Json::parse(R"({"spec":{"unschedulable":true}})"));
  EXPECT_THROW(patched("Node", R"({"spec":{}})",
                       R"({"spec":{"$retainKeys":["podCIDR"],"unschedulable":true}})"),
               PatchError);
}

TEST(StrategicPatch, API_54_MissingListIsTakenOverWithDuplicates) {
  EXPECT_EQ(patched("Node", R"({"status":{}})",
                    R"({"status":{"addresses":[{"type":"A","address":"1"},
                                               {"type":"A","address":"2"}]}})")
                .at("status")
                .at("addresses")
                .size(),
            2u);
}

TEST(StrategicPatch, API_53_UnknownDirectiveIsAnError) {
  EXPECT_THROW(patched("Node", R"({"spec":{}})", R"({"spec":{"$patch":"explode"}})"), PatchError);
}

}  // namespace
}  // namespace sandbox
