// Requests that a server must refuse, and how.
#include "contract.hpp"

namespace ccm::contract {
namespace {

class Error : public Contract {
 protected:
  KubeResponse send(const std::string& method, const std::string& target, const std::string& body,
                    const std::string& type, const std::string& accept = "application/json") {
    support::HttpRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.headers = {{"Accept", accept}};
    if (!type.empty()) request.headers["Content-Type"] = type;
    return api().send(request);
  }
  static void expect_status(const KubeResponse& response, int code, const std::string& reason) {
    EXPECT_EQ(response.status, code) << response.http.body;
    ASSERT_TRUE(response.body.is_object()) << response.http.body;
    EXPECT_EQ(response.body.value("kind", ""), "Status");
    EXPECT_EQ(response.body.value("status", ""), "Failure");
    EXPECT_EQ(response.body.value("code", 0), code);
    EXPECT_EQ(response.reason(), reason);
  }
};

TEST_F(Error, API_5_UnacceptableTypeIs406) {
  expect_status(send("GET", kNodes, "", "", "text/html"), 406, "NotAcceptable");
}

TEST_F(Error, API_5_WildcardAndListsAreAcceptable) {
  for (const char* accept : {"*/*", "text/html, application/json;q=0.5",
                             "application/json;as=Nothing;v=v1;g=example.com,application/json"}) {
    EXPECT_EQ(send("GET", kNodes + "?limit=1", "", "", accept).status, 200) << accept;
  }
}

TEST_F(Error, API_5_UnsupportedBodyTypeIs415) {
  expect_status(send("POST", kNodes, "<node/>", "text/xml"), 415, "UnsupportedMediaType");
}

TEST_F(Error, API_47_UnknownPatchTypeIs415) {
  const json created = create_node();
  expect_status(send("PATCH", node_path(created), "{}", "application/json"), 415,
                "UnsupportedMediaType");
}

TEST_F(Error, API_9_TooLargeABodyIs413) {
  json object = node(unique("node"));
  object["metadata"]["annotations"] = {{"a", std::string(3 * 1024 * 1024 + 1000, 'x')}};
  const KubeResponse response = api().create(kNodes, object);
  expect_status(response, 413, "RequestEntityTooLarge");
}

TEST_F(Error, API_12_MalformedJsonIsABadRequest) {
  expect_status(send("POST", kNodes, "{\"kind\":", "application/json"), 400, "BadRequest");
}

TEST_F(Error, API_12_WrongKindIsABadRequest) {
  expect_status(
      api().create(kNodes,
                   {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "x"}}}}),
      400, "BadRequest");
}

TEST_F(Error, API_12_WrongTypeOfAFieldIsABadRequest) {
  json object = node(unique("node"));
  object["spec"] = {{"taints", "none"}};
  const KubeResponse response = api().create(kNodes, object);
  EXPECT_EQ(response.status, 400) << response.http.body;
}

TEST_F(Error, API_12_VerbThatAResourceLacksIs405) {
  expect_status(send("PUT", kNodes, "{}", "application/json"), 405, "MethodNotAllowed");
  expect_status(send("GET", "/apis/authentication.k8s.io/v1/tokenreviews", "", ""), 405,
                "MethodNotAllowed");
}

TEST_F(Error, API_104_ConnectionIsReusedAfterErrors) {
  // The client keeps one connection; answers that were not framed properly would break the next.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(api().get(kNodes + "/there-is-none").status, 404);
    EXPECT_EQ(send("POST", kNodes, "{", "application/json").status, 400);
    EXPECT_EQ(api().get("/version").status, 200);
  }
}

TEST_F(Error, API_3_BodyInYamlIsAccepted) {
  const std::string name = unique("node");
  const KubeResponse response =
      send("POST", kNodes, "apiVersion: v1\nkind: Node\nmetadata:\n  name: " + name + "\n",
           "application/yaml");
  EXPECT_EQ(response.status, 201) << response.http.body;
  api().remove(kNodes + "/" + name);
}

}  // namespace
}  // namespace ccm::contract
