#include "api_fixture.hpp"

namespace sandbox::testing {
namespace {

class Token : public ApiFixture {
 protected:
  void SetUp() override {
    Json account;
    account["metadata"]["name"] = "robot";
    post(kAccounts, account);
  }
  std::string issue() {
    Json request;
    request["spec"]["expirationSeconds"] = 600;
    Answer answer = post(std::string(kAccounts) + "/robot/token", request);
    EXPECT_EQ(answer.status, 201) << answer.body;
    return answer.body.at("status").at("token");
  }
  Json review(const std::string& token) {
    Json body;
    body["spec"]["token"] = token;
    return post("/apis/authentication.k8s.io/v1/tokenreviews", body).body.at("status");
  }
  bool allowed(const std::string& user, const std::string& verb) {
    Json body;
    body["spec"] = {{"user", user}};
    body["spec"]["resourceAttributes"] = {{"verb", verb}, {"resource", "nodes"}};
    return post("/apis/authorization.k8s.io/v1/subjectaccessreviews", body)
        .body.at("status")
        .at("allowed");
  }
  static constexpr const char* kAccounts = "/api/v1/namespaces/kube-system/serviceaccounts";
  static constexpr const char* kRobot = "system:serviceaccount:kube-system:robot";
};

TEST_F(Token, API_84_IssuedTokensWork) {
  std::string token = issue();
  EXPECT_EQ(send_as(token, "GET", kNodes).status, 200);
  Json status = review(token);
  EXPECT_EQ(status.at("authenticated"), true);
  EXPECT_EQ(status.at("user").at("username"), kRobot);
}

TEST_F(Token, API_84_TooShortALifeIsRefused) {
  Json request;
  request["spec"]["expirationSeconds"] = 599;
  EXPECT_EQ(post(std::string(kAccounts) + "/robot/token", request).status, 422);
  EXPECT_EQ(post(std::string(kAccounts) + "/nobody/token", Json::object()).status, 404);
}

TEST_F(Token, ExpiredForgedAndOrphanedTokensAreRefused) {
  Json account = get(std::string(kAccounts) + "/robot").body;
  auto expired = server_.authenticator().issue(account, std::chrono::seconds(0), {});
  EXPECT_EQ(send_as(expired.token, "GET", kNodes).status, 401);
  std::string token = issue();
  std::string forged = token;
  forged[token.find('.') + 3] ^= 1;
  EXPECT_EQ(send_as(forged, "GET", kNodes).status, 401);
  send("DELETE", std::string(kAccounts) + "/robot");
  EXPECT_EQ(send_as(token, "GET", kNodes).status, 401);
  EXPECT_FALSE(review(token).contains("authenticated"));
}

TEST_F(Token, ForeignAudienceIsNotOurs) {
  Json account = get(std::string(kAccounts) + "/robot").body;
  auto foreign = server_.authenticator().issue(account, std::chrono::hours(1), {"vault"});
  EXPECT_EQ(send_as(foreign.token, "GET", kNodes).status, 401);
  Json body;
  body["spec"] = {{"token", foreign.token}, {"audiences", Json::array({"vault"})}};
  EXPECT_EQ(post("/apis/authentication.k8s.io/v1/tokenreviews", body)
                .body.at("status")
                .at("authenticated"),
            true);
}

TEST_F(Token, API_126_WithoutTokenOnlyHealthAndVersion) {
  for (const char* path : {"/healthz", "/livez", "/readyz", "/version"}) {
    EXPECT_EQ(send_as("", "GET", path).status, 200) << path;
  }
  for (const char* path : {"/api", "/api/v1/nodes", "/sandbox/requests"}) {
    EXPECT_EQ(send_as("", "GET", path).status, 401) << path;
  }
}

TEST_F(Token, DenyRulesMake403AndReviewsAgree) {
  std::string token = issue();
  EXPECT_TRUE(allowed(kRobot, "patch"));
  Json rule = {{"user", kRobot}, {"verb", "patch"}, {"resource", "nodes"}};
  EXPECT_EQ(put("/sandbox/deny", Json::array({rule})).status, 200);
  make_node("a");
  Answer refused = send_as(token, "PATCH", "/api/v1/nodes/a", Json::object());
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.reason(), "Forbidden");
  EXPECT_EQ(send_as(token, "GET", "/api/v1/nodes/a").status, 200);
  EXPECT_FALSE(allowed(kRobot, "patch"));
  EXPECT_TRUE(allowed(kRobot, "get"));
  send("DELETE", "/sandbox/deny");
  EXPECT_TRUE(allowed(kRobot, "patch"));
}

TEST_F(Token, API_122_StrangersMayNothing) { EXPECT_FALSE(allowed("stranger", "get")); }

TEST_F(Token, OnlyTheAdministratorSteersTheServer) {
  EXPECT_EQ(send_as(issue(), "GET", "/sandbox/requests").status, 403);
}

}  // namespace
}  // namespace sandbox::testing
