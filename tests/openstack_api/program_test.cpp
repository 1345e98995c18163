// The fake behind a socket, as a program of its own.
#include "support/file.hpp"
#include "support/http_client.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace ccm::openstack_api {
namespace {

using nlohmann::json;

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    const std::string url = program_.ready().at("auth_url");
    support::Credentials credentials;
    credentials.server = url.substr(0, url.find("/identity"));
    client_ = std::make_unique<support::HttpClient>(std::move(credentials));
  }

  support::HttpResponse send(const std::string& method, const std::string& target,
                             const json& body = nullptr, const std::string& token = "") {
    support::HttpRequest request;
    request.method = method;
    request.target = target;
    if (!body.is_null()) request.body = body.dump();
    if (!token.empty()) request.headers["X-Auth-Token"] = token;
    return client_->send(request);
  }
  std::string log_in() {
    const json user = {{"name", "demo"}, {"password", "secret"}, {"domain", {{"id", "default"}}}};
    const auto answer = send(
        "POST", "/identity/v3/auth/tokens",
        {{"auth", {{"identity", {{"methods", {"password"}}, {"password", {{"user", user}}}}}}}});
    return answer.headers.at("x-subject-token");
  }

  support::TemporaryFolder folder_{"ccm-openstack-api"};
  support::ReadyServer program_{{CCM_OPENSTACK_API_PROGRAM, "--directory", folder_.path().string()},
                                folder_.path()};
  std::unique_ptr<support::HttpClient> client_;
};

TEST_F(ProgramTest, ServesTheCloudAndObeysItsControl) {
  const std::string token = log_in();
  EXPECT_EQ(send("POST", "/control/servers", {{"count", 300}, {"prefix", "more-"}}).status, 200);
  const auto listed = send("GET", "/compute/v2.1/servers", nullptr, token);
  EXPECT_EQ(json::parse(listed.body).at("servers").size(), 303U);
  EXPECT_EQ(send("DELETE", "/control/servers/more-7").status, 200);
  const auto name = send("GET", "/compute/v2.1/servers?name=%5Emore-7%24", nullptr, token);
  EXPECT_TRUE(json::parse(name.body).at("servers").empty());

  EXPECT_EQ(
      send("PUT", "/control/faults", json::array({{{"path", "/flavors"}, {"status", 503}}})).status,
      200);
  EXPECT_EQ(send("GET", "/compute/v2.1/flavors", nullptr, token).status, 503);
  EXPECT_EQ(send("GET", "/compute/v2.1/flavors", nullptr, token).status, 200);

  const std::string server = program_.ready().at("ids").at("node-0");
  EXPECT_EQ(send("PATCH", "/control/records/servers/" + server, {{"status", "SHUTOFF"}}).status,
            200);
  const auto shown = send("GET", "/compute/v2.1/servers/" + server, nullptr, token);
  EXPECT_EQ(json::parse(shown.body).at("server").at("status"), "SHUTOFF");

  const json calls = json::parse(send("GET", "/control/calls").body);
  EXPECT_EQ(calls.at("total"), 6);
  EXPECT_EQ(calls.at("writes"), 0);
  EXPECT_EQ(send("DELETE", "/control/tokens").status, 200);
  EXPECT_EQ(send("GET", "/compute/v2.1/flavors", nullptr, token).status, 401);
  EXPECT_EQ(send("POST", "/control/reset").status, 200);
  const auto again = send("GET", "/compute/v2.1/servers", nullptr, log_in());
  EXPECT_EQ(json::parse(again.body).at("servers").size(), 3U);
}

TEST_F(ProgramTest, WhatControlDoesNotKnowIsRefused) {
  EXPECT_EQ(send("PUT", "/control/settings", {{"latency", 5}}).status, 400);
  EXPECT_EQ(send("PUT", "/control/faults", json::array({{{"path", "("}}})).status, 400);
  EXPECT_EQ(send("GET", "/control/nothing").status, 400);
  EXPECT_EQ(send("PATCH", "/control/records/ports/none", json::object()).status, 400);
}

// The client tries once more on a new connection when an old one fails.
TEST_F(ProgramTest, AnswersMayBeCut) {
  for (const char* how : {"cut", "cut_body", "lose_answer"}) {
    send("PUT", "/control/faults",
         json::array({{{"path", "/identity/v3$"}, {"count", -1}, {how, true}}}));
    EXPECT_THROW(send("GET", "/identity/v3"), std::runtime_error) << how;
    send("PUT", "/control/faults", json::array());
    EXPECT_EQ(send("GET", "/identity/v3").status, 200);
  }
}

}  // namespace
}  // namespace ccm::openstack_api
