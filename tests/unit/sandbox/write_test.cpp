#include "api_fixture.hpp"

namespace sandbox::testing {
namespace {

class Write : public ApiFixture {
 protected:
  static std::string path(const std::string& name) { return std::string(kNodes) + "/" + name; }
  static Json change(const char* text) { return Json::parse(text); }
};

TEST_F(Write, CreateFillsInWhatTheServerOwns) {
  Json node = make_node("a");
  const Json& metadata = node.at("metadata");
  EXPECT_EQ(metadata.at("uid").get<std::string>().size(), 36u);
  EXPECT_TRUE(metadata.contains("creationTimestamp"));
  EXPECT_EQ(node.at("kind"), "Node");
  Answer again = post(kNodes, node);
  EXPECT_NE(again.status, 201);
}

TEST_F(Write, API_45_SecondCreateIsAlreadyExists) {
  make_node("a");
  Json node;
  node["metadata"]["name"] = "a";
  Answer answer = post(kNodes, node);
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.reason(), "AlreadyExists");
  EXPECT_EQ(answer.body.at("details").at("name"), "a");
}

TEST_F(Write, GenerateNameMakesANewNameEachTime) {
  Json map;
  map["metadata"]["generateName"] = "x-";
  std::string first = post(kConfigMaps, map).body.at("metadata").at("name");
  std::string second = post(kConfigMaps, map).body.at("metadata").at("name");
  EXPECT_TRUE(first.starts_with("x-"));
  EXPECT_NE(first, second);
}

TEST_F(Write, API_44_StaleVersionIsAConflict) {
  Json old = make_node("a");
  Json fresh = old;
  fresh["metadata"]["labels"]["x"] = "1";
  EXPECT_EQ(put(path("a"), fresh).status, 200);
  Answer stale = put(path("a"), fresh);
  EXPECT_EQ(stale.status, 409);
  EXPECT_EQ(stale.reason(), "Conflict");
  fresh["metadata"].erase("resourceVersion");
  EXPECT_EQ(put(path("a"), fresh).status, 200);
}

TEST_F(Write, API_44_LeasesNeedAVersion) {
  std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  Json lease;
  lease["metadata"]["name"] = "l";
  EXPECT_EQ(post(leases, lease).status, 201);
  EXPECT_EQ(put(leases + "/l", lease).status, 422);
}

TEST_F(Write, API_46_ForeignUidIsAConflictInAPut) {
  Json node = make_node("a");
  node["metadata"]["uid"] = "00000000-0000-4000-8000-000000000000";
  EXPECT_EQ(put(path("a"), node).status, 409);
  EXPECT_EQ(patch(path("a"), change(R"({"metadata":{"uid":"x"}})"), kMerge).status, 422);
}

TEST_F(Write, API_50_NoChangeKeepsTheVersion) {
  Json node = make_node("a", {{"x", "1"}});
  Json same = patch(path("a"), change(R"({"metadata":{"labels":{"x":"1"}}})"), kMerge).body;
  EXPECT_EQ(version_of(same), version_of(node));
  EXPECT_EQ(version_of(patch(path("a"), Json::object(), kStrategic).body), version_of(node));
  EXPECT_EQ(version_of(put(path("a"), node).body), version_of(node));
}

TEST_F(Write, API_51_StatusAndSpecAreWrittenApart) {
  make_node("a");
  Json both = change(R"({"metadata":{"labels":{"l":"1"}},"spec":{"unschedulable":true},
                         "status":{"phase":"Running"}})");
  Json by_status = patch(path("a") + "/status", both, kMerge).body;
  EXPECT_EQ(by_status.at("status").at("phase"), "Running");
  EXPECT_FALSE(by_status.at("spec").contains("unschedulable"));
  EXPECT_EQ(by_status.at("metadata").at("labels").at("l"), "1");
  both["status"]["phase"] = "Pending";
  Json by_main = patch(path("a"), both, kMerge).body;
  EXPECT_EQ(by_main.at("status").at("phase"), "Running");
  EXPECT_EQ(by_main.at("spec").at("unschedulable"), true);
}

TEST_F(Write, API_49_PatchOfAMissingObjectIsNotFound) {
  EXPECT_EQ(patch(path("a"), Json::object(), kMerge).status, 404);
}

TEST_F(Write, API_22_DeletePreconditions) {
  Json node = make_node("a");
  Json options = change(R"({"preconditions":{"uid":"x"}})");
  EXPECT_EQ(send("DELETE", path("a"), options).status, 409);
  options["preconditions"] = {{"resourceVersion", "1"}};
  EXPECT_EQ(send("DELETE", path("a"), options).status, 409);
  options["preconditions"] = {{"uid", node.at("metadata").at("uid")},
                              {"resourceVersion", version_of(node)}};
  Answer gone = send("DELETE", path("a"), options);
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(gone.body.at("status"), "Success");
  EXPECT_EQ(get(path("a")).status, 404);
}

TEST_F(Write, API_56_FinalizersHoldTheObject) {
  make_node("a");
  patch(path("a"), change(R"({"metadata":{"finalizers":["example.com/f"]}})"), kMerge);
  Answer marked = send("DELETE", path("a"));
  EXPECT_EQ(marked.status, 200);
  EXPECT_TRUE(marked.body.at("metadata").contains("deletionTimestamp"));
  Json more = change(R"({"metadata":{"finalizers":["example.com/f","example.com/g"]}})");
  EXPECT_EQ(patch(path("a"), more, kMerge).status, 422);
  EXPECT_EQ(patch(path("a"), change(R"({"metadata":{"finalizers":null}})"), kMerge).status, 200);
  EXPECT_EQ(get(path("a")).status, 404);
}

TEST_F(Write, DryRunStoresNothing) {
  Json node;
  node["metadata"]["name"] = "dry";
  EXPECT_EQ(post(std::string(kNodes) + "?dryRun=All", node).status, 201);
  EXPECT_EQ(get(path("dry")).status, 404);
  make_node("a");
  EXPECT_EQ(send("DELETE", path("a") + "?dryRun=All").status, 200);
  EXPECT_EQ(get(path("a")).status, 200);
}

TEST_F(Write, NamespacesHoldTheirContent) {
  Json name_space;
  name_space["metadata"]["name"] = "team";
  EXPECT_EQ(post("/api/v1/namespaces", name_space).body.at("status").at("phase"), "Active");
  Json map = change(R"({"metadata":{"name":"m","finalizers":["example.com/f"]}})");
  std::string maps = "/api/v1/namespaces/team/configmaps";
  EXPECT_EQ(post(maps, map).status, 201);
  Answer gone = send("DELETE", "/api/v1/namespaces/team");
  EXPECT_EQ(gone.body.at("status").at("phase"), "Terminating");
  Answer late = post(maps, change(R"({"metadata":{"name":"n"}})"));
  EXPECT_EQ(late.status, 403);
  EXPECT_EQ(late.body.at("details").at("causes")[0].at("reason"), "NamespaceTerminating");
  patch(maps + "/m", change(R"({"metadata":{"finalizers":null}})"), kMerge);
  EXPECT_EQ(get("/api/v1/namespaces/team").status, 404);
  EXPECT_EQ(post(maps, map).status, 404);
  EXPECT_EQ(send("DELETE", "/api/v1/namespaces/default").status, 403);
}

TEST_F(Write, API_9_BodiesAndTypesAreChecked) {
  make_node("a");
  http::Request large;
  large.method = "POST";
  large.path = kNodes;
  large.authorization = "Bearer admin-token";
  large.body_too_large = true;
  EXPECT_EQ(server_.handle(large).response.status, 413);
  EXPECT_EQ(send("POST", kNodes, Json::object(), "text/plain").status, 415);
  EXPECT_EQ(patch(path("a"), Json::object(), "application/json").status, 415);
  EXPECT_EQ(post(kNodes, change(R"({"kind":"Service","metadata":{"name":"x"}})")).status, 400);
  EXPECT_EQ(post(kNodes, change(R"({"spec":{"podCIDR":5},"metadata":{"name":"x"}})")).status, 400);
}

TEST_F(Write, API_10_FieldValidationAsAsked) {
  Json node = change(R"({"metadata":{"name":"a"},"spec":{"colour":"red"}})");
  EXPECT_EQ(post(std::string(kNodes) + "?fieldValidation=Strict", node).status, 400);
  Answer warned = post(kNodes, node);
  EXPECT_EQ(warned.status, 201);
  ASSERT_EQ(warned.reply.response.headers.size(), 1u);
  EXPECT_EQ(warned.reply.response.headers[0].second, "299 - \"unknown field \\\"spec.colour\\\"\"");
}

}  // namespace
}  // namespace sandbox::testing
