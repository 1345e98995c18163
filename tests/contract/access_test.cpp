// Tokens and reviews.
#include "contract.hpp"

#include <algorithm>

namespace ccm::contract {
namespace {

class Access : public Contract {
 protected:
  json account_token(const std::string& space, const json& spec) {
    must(api().create(
        space + "/serviceaccounts",
        {{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", {{"name", "robot"}}}}));
    return must(request_token(space, spec));
  }
  KubeResponse request_token(const std::string& space, const json& spec) {
    return api().create(
        space + "/serviceaccounts/robot/token",
        {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenRequest"}, {"spec", spec}});
  }
  json review(const std::string& token) {
    return must(api().create("/apis/authentication.k8s.io/v1/tokenreviews",
                             {{"apiVersion", "authentication.k8s.io/v1"},
                              {"kind", "TokenReview"},
                              {"spec", {{"token", token}}}}))
        .at("status");
  }
  json access(const json& spec) {
    return must(api().create("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                             {{"apiVersion", "authorization.k8s.io/v1"},
                              {"kind", "SubjectAccessReview"},
                              {"spec", spec}}))
        .at("status");
  }
  json self_access(KubeClient& whose, const json& attributes) {
    return must(whose.create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                             {{"apiVersion", "authorization.k8s.io/v1"},
                              {"kind", "SelfSubjectAccessReview"},
                              {"spec", {{"resourceAttributes", attributes}}}}));
  }
  KubeClient with_token(const std::string& token) {
    support::Credentials credentials = api().credentials();
    credentials.client_certificate.clear();
    credentials.client_key.clear();
    credentials.token = token;
    return KubeClient(credentials);
  }
};

TEST_F(Access, API_84_TokenRequestAnswersTokenAndExpiry) {
  const json answer = account_token(make_namespace(), {{"expirationSeconds", 3600}});
  EXPECT_EQ(answer.at("kind"), "TokenRequest");
  EXPECT_FALSE(answer.at("status").at("token").get<std::string>().empty());
  EXPECT_FALSE(answer.at("status").at("expirationTimestamp").get<std::string>().empty());
}

TEST_F(Access, API_84_TooShortAnExpiryIsInvalid) {
  const std::string space = make_namespace();
  account_token(space, {{"expirationSeconds", 600}});
  EXPECT_EQ(request_token(space, {{"expirationSeconds", 599}}).status, 422);
}

TEST_F(Access, API_84_TokenOfAMissingAccountIsNotFound) {
  EXPECT_EQ(request_token(make_namespace(), {{"expirationSeconds", 600}}).status, 404);
}

TEST_F(Access, API_119_TokenReviewNamesTheServiceAccount) {
  const std::string space = make_namespace();
  const json answer = account_token(space, {{"expirationSeconds", 600}});
  const json status = review(answer.at("status").at("token"));
  EXPECT_EQ(status.at("authenticated"), true);
  EXPECT_EQ(status.at("user").at("username"),
            "system:serviceaccount:" + namespace_of(space) + ":robot");
  const json& groups = status.at("user").at("groups");
  // API-126.
  for (const std::string& group :
       {std::string("system:serviceaccounts"), "system:serviceaccounts:" + namespace_of(space),
        std::string("system:authenticated")}) {
    EXPECT_NE(std::find(groups.begin(), groups.end(), group), groups.end()) << group;
  }
}

TEST_F(Access, API_119_UnknownTokenIsNotAuthenticated) {
  EXPECT_FALSE(review("no-such-token").value("authenticated", false));
}

TEST_F(Access, API_84_TokenOpensTheServer) {
  const json answer = account_token(make_namespace(), {{"expirationSeconds", 600}});
  KubeClient robot = with_token(answer.at("status").at("token"));
  EXPECT_EQ(robot.get("/version").status, 200);
  EXPECT_EQ(robot.get("/healthz").status, 200);
}

TEST_F(Access, API_76_BadTokenIs401) {
  KubeClient stranger = with_token("no-such-token");
  const KubeResponse response = stranger.get(kNodes);
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.reason(), "Unauthorized");
}

TEST_F(Access, API_126_WithoutCredentialNothingIsRead) {
  KubeClient nobody = with_token("");
  const KubeResponse response = nobody.get(kNodes);
  EXPECT_TRUE(response.status == 401 || response.status == 403) << response.status;
  EXPECT_EQ(response.body.at("kind"), "Status");
}

TEST_F(Access, API_121_MastersMayDoAnything) {
  const json status = access({{"user", "admin"},
                              {"groups", {"system:masters"}},
                              {"resourceAttributes", {{"verb", "delete"}, {"resource", "nodes"}}}});
  EXPECT_EQ(status.at("allowed"), true);
}

TEST_F(Access, API_122_StrangersMayNot) {
  const json paths = access(
      {{"user", "stranger"}, {"nonResourceAttributes", {{"path", "/metrics"}, {"verb", "get"}}}});
  EXPECT_EQ(paths.at("allowed"), false);
  const json nodes = access(
      {{"user", "stranger"}, {"resourceAttributes", {{"verb", "delete"}, {"resource", "nodes"}}}});
  EXPECT_EQ(nodes.at("allowed"), false);
}

TEST_F(Access, API_121_ReviewWithoutAttributesIsInvalid) {
  const KubeResponse response = api().create("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                                             {{"apiVersion", "authorization.k8s.io/v1"},
                                              {"kind", "SubjectAccessReview"},
                                              {"spec", {{"user", "admin"}}}});
  EXPECT_GE(response.status, 400);
  EXPECT_LT(response.status, 500);
}

TEST_F(Access, API_122_MastersHearThatTheyMayDoAnything) {
  const json answer = self_access(
      api(),
      {{"verb", "patch"}, {"group", ""}, {"resource", "services"}, {"subresource", "status"}});
  EXPECT_EQ(answer.at("kind"), "SelfSubjectAccessReview");
  EXPECT_EQ(answer.at("status").at("allowed"), true);
}

TEST_F(Access, API_122_ASelfReviewWithoutAttributesIsInvalid) {
  const KubeResponse response =
      api().create("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                   {{"apiVersion", "authorization.k8s.io/v1"},
                    {"kind", "SelfSubjectAccessReview"},
                    {"spec", json::object()}});
  EXPECT_GE(response.status, 400);
  EXPECT_LT(response.status, 500);
}

// A review's answer is true: one account asks, then tries.
TEST_F(Access, API_122_ASelfReviewTellsWhatARequestWillMeet) {
  const std::string space = make_namespace();
  const json token = account_token(space, {{"expirationSeconds", 600}});
  KubeClient robot = with_token(token.at("status").at("token"));
  const std::string user = "system:serviceaccount:" + namespace_of(space) + ":robot";
  if (server().kind() == support::ServerKind::kSandbox) {
    support::HttpRequest deny;
    deny.method = "PUT";
    deny.target = "/sandbox/deny";
    deny.headers = {{"Content-Type", "application/json"}};
    deny.body = json::array({{{"user", user}, {"resource", "nodes"}}}).dump();
    must(api().send(deny));
  }
  const json nodes = {{"verb", "list"}, {"group", ""}, {"resource", "nodes"}};
  EXPECT_EQ(self_access(robot, nodes).at("status").at("allowed"), false);
  EXPECT_EQ(robot.get(kNodes).status, 403);
  support::HttpRequest allow;
  allow.method = "PUT";
  allow.target = "/sandbox/deny";
  allow.headers = {{"Content-Type", "application/json"}};
  allow.body = "[]";
  if (server().kind() == support::ServerKind::kSandbox) must(api().send(allow));
}

TEST_F(Access, API_125_SecretsKeepTheirBytes) {
  const std::string space = make_namespace();
  const json created = must(api().create(space + "/secrets", {{"apiVersion", "v1"},
                                                              {"kind", "Secret"},
                                                              {"metadata", {{"name", "login"}}},
                                                              {"data", {{"token", "c2VjcmV0"}}}}));
  EXPECT_EQ(created.at("type"), "Opaque");
  EXPECT_EQ(must(api().get(space + "/secrets/login")).at("data").at("token"), "c2VjcmV0");
}

}  // namespace
}  // namespace ccm::contract
