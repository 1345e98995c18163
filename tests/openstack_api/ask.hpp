// Requests to the fake by somebody beside the manager.
#pragma once

#include "openstack_api/cloud.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::openstack_api {

// The body of the answer, which has to be a success.
inline json ask(Cloud& cloud, const std::string& method, const std::string& target,
                const json& body, const std::string& token) {
  const Answer answered =
      cloud.handle({method,
                    target,
                    {{"content-type", "application/json"}, {"x-auth-token", token}},
                    body.dump()});
  EXPECT_LT(answered.status, 300) << target << ": " << answered.body;
  return json::parse(answered.body, nullptr, false);
}

// A token of that user of populate() for the project of its name.
inline std::string token_of(Cloud& cloud, const std::string& user) {
  const json domain = {{"name", "Default"}};
  const json name = {{"name", user}, {"domain", domain}, {"password", "secret"}};
  const json identity = {{"methods", json::array({"password"})}, {"password", {{"user", name}}}};
  const json scope = {{"project", {{"name", user}, {"domain", domain}}}};
  const Answer answered =
      cloud.handle({"POST",
                    "/identity/v3/auth/tokens",
                    {{"content-type", "application/json"}},
                    json{{"auth", {{"identity", identity}, {"scope", scope}}}}.dump()});
  EXPECT_EQ(answered.status, 201) << answered.body;
  const auto token = answered.headers.find("x-subject-token");
  return token == answered.headers.end() ? std::string() : token->second;
}

}  // namespace ccm::openstack_api
