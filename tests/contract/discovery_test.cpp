// Discovery by a client that knows no resource, such as kubectl.
#include "contract.hpp"

#include <algorithm>

namespace ccm::contract {
namespace {

class Discovery : public Contract {
 protected:
  json resource(const std::string& group_version, const std::string& name) {
    const json list = must(api().get(group_version));
    for (const json& entry : list.at("resources")) {
      if (entry.at("name") == name) return entry;
    }
    ADD_FAILURE() << group_version << " does not name " << name;
    return json::object();
  }
};

bool has_verb(const json& resource, const std::string& verb) {
  const json& verbs = resource.at("verbs");
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

TEST_F(Discovery, API_1_VersionIsThatOfAKubernetesServer) {
  const json version = must(api().get("/version"));
  EXPECT_EQ(version.at("major"), "1");
  EXPECT_TRUE(version.at("gitVersion").get<std::string>().starts_with("v1."));
}

TEST_F(Discovery, HOST_84_HealthEndpointsAnswerOk) {
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    const KubeResponse response = api().get(path);
    EXPECT_EQ(response.status, 200) << path;
    EXPECT_EQ(response.http.body, "ok") << path;
  }
}

TEST_F(Discovery, API_1_CoreVersionsAndGroupsAreListed) {
  const json core = must(api().get("/api"));
  EXPECT_EQ(core.at("kind"), "APIVersions");
  EXPECT_EQ(core.at("versions"), json::array({"v1"}));
  const json groups = must(api().get("/apis"));
  EXPECT_EQ(groups.at("kind"), "APIGroupList");
  std::vector<std::string> found;
  for (const json& group : groups.at("groups")) {
    found.push_back(group.at("preferredVersion").at("groupVersion"));
  }
  for (const char* wanted :
       {"coordination.k8s.io/v1", "authentication.k8s.io/v1", "authorization.k8s.io/v1"}) {
    EXPECT_NE(std::find(found.begin(), found.end(), wanted), found.end()) << wanted;
  }
}

TEST_F(Discovery, API_1_NodesAreClusterScopedWithAStatusSubresource) {
  const json nodes = resource("/api/v1", "nodes");
  EXPECT_EQ(nodes.at("kind"), "Node");
  EXPECT_EQ(nodes.at("namespaced"), false);
  for (const char* verb : {"get", "list", "watch", "create", "update", "patch", "delete"}) {
    EXPECT_TRUE(has_verb(nodes, verb)) << verb;
  }
  EXPECT_EQ(resource("/api/v1", "nodes/status").at("kind"), "Node");
}

TEST_F(Discovery, API_1_NamespacedResourcesSaySo) {
  for (const char* name : {"services", "events", "configmaps", "secrets", "serviceaccounts"}) {
    EXPECT_EQ(resource("/api/v1", name).at("namespaced"), true) << name;
  }
  EXPECT_EQ(resource("/api/v1", "namespaces").at("namespaced"), false);
  EXPECT_EQ(resource("/apis/coordination.k8s.io/v1", "leases").at("namespaced"), true);
}

TEST_F(Discovery, API_119_ReviewsCanOnlyBeCreated) {
  const json tokens = resource("/apis/authentication.k8s.io/v1", "tokenreviews");
  EXPECT_EQ(tokens.at("verbs"), json::array({"create"}));
  const json access = resource("/apis/authorization.k8s.io/v1", "subjectaccessreviews");
  EXPECT_EQ(access.at("verbs"), json::array({"create"}));
}

TEST_F(Discovery, API_1_UnknownGroupAndResourceAre404) {
  EXPECT_EQ(api().get("/apis/nothing.example.com/v1/things").status, 404);
  EXPECT_EQ(api().get("/api/v1/things").status, 404);
}

TEST_F(Discovery, RBAC_22_TheNamespacesOfANewClusterExist) {
  for (const char* name : {"default", "kube-system"}) {
    EXPECT_EQ(api().get(std::string("/api/v1/namespaces/") + name).status, 200) << name;
  }
}

}  // namespace
}  // namespace ccm::contract
