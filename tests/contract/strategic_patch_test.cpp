// Strategic merge patches: which lists merge, by which key, and the directives.
#include "contract.hpp"

#include <algorithm>

namespace ccm::contract {
namespace {

json address(const char* type, const char* value) { return {{"type", type}, {"address", value}}; }
json taint(const char* key, const char* effect) { return {{"key", key}, {"effect", effect}}; }

class StrategicPatch : public Contract {
 protected:
  KubeResponse apply(const json& node, const json& patch, const char* subresource = "") {
    return api().patch(node_path(node) + subresource, kStrategicPatch, patch);
  }
  json set_addresses(const json& node, const json& list) {
    return must(apply(node, {{"status", {{"addresses", list}}}}, "/status"))
        .at("status")
        .at("addresses");
  }
  json node_with_taints(const json& taints) {
    json object = node(unique("node"));
    object["spec"] = {{"taints", taints}};
    return create_node(object);
  }
};

TEST_F(StrategicPatch, API_52a_AddressesMergeByType) {
  const json created = create_node();
  set_addresses(created, {address("InternalIP", "10.0.0.1"), address("Hostname", "h")});
  const json result = set_addresses(created, json::array({address("InternalIP", "10.0.0.2")}));
  ASSERT_EQ(result.size(), 2U);
  EXPECT_NE(std::find(result.begin(), result.end(), address("InternalIP", "10.0.0.2")),
            result.end());
  EXPECT_NE(std::find(result.begin(), result.end(), address("Hostname", "h")), result.end());
}

TEST_F(StrategicPatch, API_7_TheAnswerIsMetadataOnlyWhereThatIsAskedFor) {
  const json created = create_node();
  support::HttpRequest request;
  request.method = "PATCH";
  request.target = node_path(created);
  request.headers = {
      {"Content-Type", kStrategicPatch},
      {"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"}};
  request.body = R"({"metadata":{"labels":{"a":"b"}}})";
  const json result = must(api().send(request));
  EXPECT_EQ(result.at("kind"), "PartialObjectMetadata");
  EXPECT_EQ(result.at("metadata").at("labels").at("a"), "b");
  EXPECT_FALSE(result.contains("status"));
}

TEST_F(StrategicPatch, API_54_AbsentListIsTakenAsGiven) {
  const json created = create_node();
  const json dual = {address("InternalIP", "10.0.0.1"), address("InternalIP", "fd00::1"),
                     address("Hostname", "h")};
  EXPECT_EQ(set_addresses(created, dual), dual);
}

TEST_F(StrategicPatch, API_53_PatchReplaceReplacesAMergeList) {
  const json created = create_node();
  set_addresses(created, {address("InternalIP", "10.0.0.1"), address("Hostname", "h")});
  const json dual = {address("InternalIP", "10.0.0.2"), address("InternalIP", "fd00::2"),
                     address("ExternalIP", "192.0.2.1")};
  json patch = dual;
  patch.push_back({{"$patch", "replace"}});
  EXPECT_EQ(set_addresses(created, patch), dual);
  // The directive may come first just as well, and keeps the order given.
  const json turned = {address("ExternalIP", "192.0.2.1"), address("InternalIP", "10.0.0.2")};
  patch = turned;
  patch.insert(patch.begin(), json{{"$patch", "replace"}});
  EXPECT_EQ(set_addresses(created, patch), turned);
}

TEST_F(StrategicPatch, API_53_PatchDeleteRemovesOneElement) {
  const json created = create_node();
  set_addresses(created, {address("InternalIP", "10.0.0.1"), address("Hostname", "h")});
  const json result = set_addresses(created, {{{"$patch", "delete"}, {"type", "InternalIP"}}});
  EXPECT_EQ(result, json::array({address("Hostname", "h")}));
}

TEST_F(StrategicPatch, API_52b_ConditionsMergeByType) {
  const json created = create_node();
  const auto condition = [](const char* type, const char* status) {
    return json{{"type", type}, {"status", status}, {"reason", "R"}, {"message", "m"}};
  };
  must(apply(
      created,
      {{"status", {{"conditions", {condition("Ready", "True"), condition("Disk", "False")}}}}},
      "/status"));
  const json result = must(
      apply(created, {{"status", {{"conditions", {{{"type", "Ready"}, {"status", "False"}}}}}}},
            "/status"));
  const json& conditions = result.at("status").at("conditions");
  ASSERT_EQ(conditions.size(), 2U);
  for (const json& one : conditions) {
    EXPECT_EQ(one.at("status"), "False");
    EXPECT_EQ(one.at("reason"), "R");
  }
}

TEST_F(StrategicPatch, API_52c_TaintsAreAtomic) {
  const json created = node_with_taints({taint("one", "NoSchedule"), taint("two", "NoExecute")});
  const json result =
      must(apply(created, {{"spec", {{"taints", {taint("three", "NoSchedule")}}}}}));
  ASSERT_EQ(result.at("spec").at("taints").size(), 1U);
  EXPECT_EQ(result.at("spec").at("taints").at(0).at("key"), "three");
}

TEST_F(StrategicPatch, API_52d_PodCIDRsMergeAsPrimitives) {
  json object = node(unique("node"));
  const json created = create_node(object);
  const json cidrs = {{"spec", {{"podCIDR", "10.1.0.0/24"}, {"podCIDRs", {"10.1.0.0/24"}}}}};
  const json first = must(apply(created, cidrs));
  EXPECT_EQ(first.at("spec").at("podCIDRs"), json::array({"10.1.0.0/24"}));
  // The union with itself is no change.
  EXPECT_EQ(version(must(apply(created, cidrs))), version(first));
}

TEST_F(StrategicPatch, API_52e_FinalizersMergeAsPrimitives) {
  const json created = create_node();
  must(apply(created, {{"metadata", {{"finalizers", {"example.com/a"}}}}}));
  const json both = must(apply(created, {{"metadata", {{"finalizers", {"example.com/b"}}}}}));
  EXPECT_EQ(both.at("metadata").at("finalizers").size(), 2U);
  const json one = must(
      apply(created, {{"metadata", {{"$deleteFromPrimitiveList/finalizers", {"example.com/a"}}}}}));
  EXPECT_EQ(one.at("metadata").at("finalizers"), json::array({"example.com/b"}));
  must(apply(created, {{"metadata", {{"finalizers", nullptr}}}}));
}

TEST_F(StrategicPatch, API_52e_OwnerReferencesMergeByUid) {
  const json created = create_node();
  const auto owner = [](const char* uid, const char* name) {
    return json{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", name}, {"uid", uid}};
  };
  must(apply(created, {{"metadata", {{"ownerReferences", {owner("u1", "a")}}}}}));
  const json result = must(apply(
      created, {{"metadata", {{"ownerReferences", {owner("u1", "changed"), owner("u2", "b")}}}}}));
  const json& owners = result.at("metadata").at("ownerReferences");
  ASSERT_EQ(owners.size(), 2U);
  for (const json& one : owners) EXPECT_NE(one.at("name"), "a");
}

TEST_F(StrategicPatch, API_52f_ServicePortsMergeByPort) {
  const std::string services = make_namespace() + "/services";
  const auto port = [](int number, const char* name) {
    return json{{"port", number}, {"name", name}, {"protocol", "TCP"}, {"targetPort", number}};
  };
  must(api().create(services, {{"apiVersion", "v1"},
                               {"kind", "Service"},
                               {"metadata", {{"name", "web"}}},
                               {"spec", {{"ports", {port(80, "http"), port(443, "https")}}}}}));
  const json result =
      must(api().patch(services + "/web", kStrategicPatch,
                       {{"spec", {{"ports", {port(80, "plain"), port(81, "other")}}}}}));
  std::vector<std::string> found;
  for (const json& one : result.at("spec").at("ports")) found.push_back(one.at("name"));
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::string>{"https", "other", "plain"}));
}

TEST_F(StrategicPatch, API_52g_LoadBalancerIngressIsAtomic) {
  const std::string services = make_namespace() + "/services";
  must(api().create(services, {{"apiVersion", "v1"},
                               {"kind", "Service"},
                               {"metadata", {{"name", "web"}}},
                               {"spec", {{"type", "LoadBalancer"}, {"ports", {{{"port", 80}}}}}}}));
  const auto set = [&](const char* ip) {
    return must(api().patch(services + "/web/status", kStrategicPatch,
                            {{"status", {{"loadBalancer", {{"ingress", {{{"ip", ip}}}}}}}}}))
        .at("status")
        .at("loadBalancer")
        .at("ingress");
  };
  set("192.0.2.1");
  const json result = set("192.0.2.2");
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(result.at(0).at("ip"), "192.0.2.2");
}

TEST_F(StrategicPatch, API_52h_NullDeletesALabel) {
  json object = node(unique("node"));
  object["metadata"]["labels"]["drop"] = "1";
  const json created = create_node(object);
  const json result =
      must(apply(created, {{"metadata", {{"labels", {{"drop", nullptr}, {"new", "2"}}}}}}));
  EXPECT_FALSE(result.at("metadata").at("labels").contains("drop"));
  EXPECT_EQ(result.at("metadata").at("labels").at("new"), "2");
  EXPECT_TRUE(result.at("metadata").at("labels").contains("contract"));
}

TEST_F(StrategicPatch, API_53_PatchReplaceInAMapReplacesTheMap) {
  json object = node(unique("node"));
  object["metadata"]["annotations"] = {{"old", "1"}};
  const json created = create_node(object);
  const json result = must(
      apply(created, {{"metadata", {{"annotations", {{"$patch", "replace"}, {"new", "2"}}}}}}));
  EXPECT_EQ(result.at("metadata").at("annotations"), json({{"new", "2"}}));
}

TEST_F(StrategicPatch, API_53_SetElementOrderOrders) {
  const json created = create_node();
  set_addresses(created, {address("InternalIP", "10.0.0.1"), address("Hostname", "h")});
  const json result = must(apply(created,
                                 {{"status",
                                   {{"$setElementOrder/addresses",
                                     {{{"type", "Hostname"}}, {{"type", "InternalIP"}}}},
                                    {"addresses", {address("InternalIP", "10.0.0.9")}}}}},
                                 "/status"))
                          .at("status")
                          .at("addresses");
  EXPECT_EQ(result, json::array({address("Hostname", "h"), address("InternalIP", "10.0.0.9")}));
}

TEST_F(StrategicPatch, API_50_PatchWithoutChangeKeepsTheVersion) {
  const json created = create_node();
  const json list = {address("InternalIP", "10.0.0.1"), address("InternalIP", "fd00::1")};
  set_addresses(created, list);
  const std::string before = version(must(api().get(node_path(created))));
  json patch = list;
  patch.push_back({{"$patch", "replace"}});
  set_addresses(created, patch);
  EXPECT_EQ(version(must(api().get(node_path(created)))), before);
  EXPECT_EQ(version(must(apply(created, json::object()))), before);
}

TEST_F(StrategicPatch, API_49_PatchOnMissingObjectIsNotFound) {
  EXPECT_EQ(api().patch(kNodes + "/there-is-none", kStrategicPatch, json::object()).status, 404);
}

TEST_F(StrategicPatch, API_53_UnknownDirectiveIsRefused) {
  const json created = create_node();
  EXPECT_FALSE(apply(created, {{"metadata", {{"labels", {{"$patch", "invent"}}}}}}).ok());
}

}  // namespace
}  // namespace ccm::contract
