// Creating and reading single objects.
#include "contract.hpp"

#include <regex>

namespace ccm::contract {
namespace {

class Object : public Contract {};

TEST_F(Object, API_1_CreateAnswers201WithServerSetMetadata) {
  const std::string name = unique("node");
  const KubeResponse response = api().create(kNodes, node(name));
  ASSERT_EQ(response.status, 201) << response.http.body;
  const json& metadata = response.body.at("metadata");
  EXPECT_EQ(response.body.at("kind"), "Node");
  EXPECT_EQ(response.body.at("apiVersion"), "v1");
  EXPECT_EQ(metadata.at("name"), name);
  EXPECT_TRUE(std::regex_match(metadata.at("uid").get<std::string>(),
                               std::regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")));
  // API-11: whole seconds in UTC.
  EXPECT_TRUE(std::regex_match(metadata.at("creationTimestamp").get<std::string>(),
                               std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")));
  // API-13: decimal digits without a leading zero.
  EXPECT_TRUE(std::regex_match(version(response.body), std::regex("[1-9][0-9]*")));
  must(api().remove(kNodes + "/" + name));
}

TEST_F(Object, API_1_GetAnswersWhatCreateAnswered) {
  json wanted = node(unique("node"));
  wanted["spec"] = {{"providerID", "cloud://1"}};
  const json created = create_node(wanted);
  const json read = must(api().get(node_path(created)));
  EXPECT_EQ(read.at("metadata").at("uid"), created.at("metadata").at("uid"));
  EXPECT_EQ(version(read), version(created));
  EXPECT_EQ(read.at("spec").at("providerID"), "cloud://1");
  EXPECT_EQ(read.at("kind"), "Node");
}

TEST_F(Object, API_12_GetOfMissingObjectIsNotFoundWithDetails) {
  const KubeResponse response = api().get(kNodes + "/there-is-none");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.reason(), "NotFound");
  EXPECT_EQ(response.body.at("kind"), "Status");
  EXPECT_EQ(response.body.at("apiVersion"), "v1");
  EXPECT_EQ(response.body.at("status"), "Failure");
  EXPECT_EQ(response.body.at("code"), 404);
  EXPECT_EQ(response.body.at("details").at("name"), "there-is-none");
  EXPECT_EQ(response.body.at("details").at("kind"), "nodes");
  EXPECT_NE(response.message().find("there-is-none"), std::string::npos);
}

TEST_F(Object, API_12_DetailsNameTheGroupOutsideTheCoreGroup) {
  const KubeResponse response =
      api().get("/apis/coordination.k8s.io/v1/namespaces/default/leases/there-is-none");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body.at("details").at("group"), "coordination.k8s.io");
  EXPECT_EQ(response.body.at("details").at("kind"), "leases");
}

TEST_F(Object, API_45_CreateOfExistingNameIsAlreadyExists) {
  const json first = create_node();
  const KubeResponse second = api().create(kNodes, node(first.at("metadata").at("name")));
  EXPECT_EQ(second.status, 409);
  EXPECT_EQ(second.reason(), "AlreadyExists");
}

TEST_F(Object, API_1_NamespacedObjectsLiveUnderTheirNamespace) {
  const std::string one = make_namespace();
  const std::string two = make_namespace();
  const json created = create_config_map(one, "settings", {{"key", "value"}});
  EXPECT_EQ(created.at("metadata").at("namespace"), namespace_of(one));
  EXPECT_EQ(must(api().get(one + "/configmaps/settings")).at("data").at("key"), "value");
  EXPECT_EQ(api().get(two + "/configmaps/settings").status, 404);
  // Both may have an object of that name.
  create_config_map(two, "settings");
}

TEST_F(Object, API_1_CollectionOfAllNamespacesHoldsThemAll) {
  const std::string one = make_namespace();
  const std::string two = make_namespace();
  const std::string name = unique("settings");
  create_config_map(one, name);
  create_config_map(two, name);
  const json list = must(api().get("/api/v1/configmaps?fieldSelector=metadata.name%3D" + name));
  EXPECT_EQ(list.at("items").size(), 2U);
}

TEST_F(Object, API_1_CreateInMissingNamespaceIsNotFound) {
  const KubeResponse response = api().create(
      "/api/v1/namespaces/there-is-none/configmaps",
      {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "settings"}}}});
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.reason(), "NotFound");
}

TEST_F(Object, API_1_NamespaceInBodyMustMatchThePath) {
  const KubeResponse response =
      api().create("/api/v1/namespaces/default/configmaps",
                   {{"apiVersion", "v1"},
                    {"kind", "ConfigMap"},
                    {"metadata", {{"name", "settings"}, {"namespace", "kube-system"}}}});
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.reason(), "BadRequest");
}

TEST_F(Object, API_44_NameInBodyMustMatchThePath) {
  json object = create_node();
  const std::string path = node_path(object);
  object["metadata"]["name"] = "another";
  EXPECT_EQ(api().replace(path, object).status, 400);
}

TEST_F(Object, API_58_CreateWithoutNameIsInvalid) {
  json nameless = node("x");
  nameless["metadata"].erase("name");
  const KubeResponse response = api().create(kNodes, nameless);
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
}

TEST_F(Object, API_58_CreateWithBadNameIsInvalidWithACause) {
  const KubeResponse response = api().create(kNodes, node("Not_A_Name"));
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
  ASSERT_FALSE(response.body.at("details").at("causes").empty());
  EXPECT_EQ(response.body.at("details").at("causes").at(0).at("field"), "metadata.name");
}

TEST_F(Object, API_1_GenerateNameAddsASuffix) {
  const std::string space = make_namespace();
  const json object = {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"generateName", "settings-"}}}};
  const json one = must(api().create(space + "/configmaps", object));
  const json two = must(api().create(space + "/configmaps", object));
  EXPECT_TRUE(one.at("metadata").at("name").get<std::string>().starts_with("settings-"));
  EXPECT_NE(one.at("metadata").at("name"), two.at("metadata").at("name"));
}

TEST_F(Object, API_1_ServerSetFieldsOfTheBodyAreIgnoredOnCreate) {
  json wanted = node(unique("node"));
  wanted["metadata"]["uid"] = "mine";
  wanted["metadata"]["creationTimestamp"] = "2001-01-01T00:00:00Z";
  const json created = create_node(wanted);
  EXPECT_NE(created.at("metadata").at("uid"), "mine");
  EXPECT_NE(created.at("metadata").at("creationTimestamp"), "2001-01-01T00:00:00Z");
}

TEST_F(Object, API_13_CreateWithResourceVersionIsRefused) {
  json wanted = node(unique("node"));
  wanted["metadata"]["resourceVersion"] = "5";
  const KubeResponse response = api().create(kNodes, wanted);
  EXPECT_FALSE(response.ok());
  EXPECT_GE(response.status, 400);
}

TEST_F(Object, API_14_GetAtZeroAndAtAReachedVersionAnswer) {
  const json created = create_node();
  const std::string path = node_path(created);
  EXPECT_EQ(version(must(api().get(path + "?resourceVersion=" + version(created)))),
            version(created));
  EXPECT_TRUE(api().get(path + "?resourceVersion=0").ok());
}

TEST_F(Object, API_17_GetAtAFutureVersionIsTooLarge) {
  const json created = create_node();
  const KubeResponse response =
      api().get(node_path(created) + "?resourceVersion=" + version(created) + "00000");
  EXPECT_EQ(response.status, 504);
  EXPECT_EQ(response.reason(), "Timeout");
  EXPECT_TRUE(response.has_cause("ResourceVersionTooLarge")) << response.http.body;
}

TEST_F(Object, API_13_EveryWriteGrowsTheResourceVersion) {
  const json created = create_node();
  const json changed = must(
      api().patch(node_path(created), kMergePatch, {{"metadata", {{"labels", {{"a", "b"}}}}}}));
  EXPECT_GT(std::stoll(version(changed)), std::stoll(version(created)));
}

TEST_F(Object, API_44_PutReplacesTheWholeObject) {
  json wanted = node(unique("node"));
  wanted["metadata"]["annotations"] = {{"old", "1"}};
  json object = create_node(wanted);
  object["metadata"]["annotations"] = {{"new", "2"}};
  const json changed = must(api().replace(node_path(object), object));
  EXPECT_EQ(changed.at("metadata").at("annotations"), json({{"new", "2"}}));
  EXPECT_EQ(changed.at("metadata").at("creationTimestamp"),
            object.at("metadata").at("creationTimestamp"));
  EXPECT_NE(version(changed), version(object));
}

TEST_F(Object, API_44_PutOnMissingNodeIsNotFound) {
  EXPECT_EQ(api().replace(kNodes + "/there-is-none", node("there-is-none")).status, 404);
}

TEST_F(Object, API_7_PartialObjectMetadataHasMetadataOnly) {
  json wanted = node(unique("node"));
  wanted["spec"] = {{"providerID", "cloud://1"}};
  const json created = create_node(wanted);
  support::HttpRequest request;
  request.target = node_path(created);
  request.headers = {{"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}};
  const json read = must(api().send(request));
  EXPECT_EQ(read.at("kind"), "PartialObjectMetadata");
  EXPECT_EQ(read.at("apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(read.at("metadata").at("name"), created.at("metadata").at("name"));
  EXPECT_FALSE(read.contains("spec"));
}

}  // namespace
}  // namespace ccm::contract
