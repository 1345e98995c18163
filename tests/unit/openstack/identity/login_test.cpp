#include "openstack/identity/login.hpp"

#include "openstack/config/cloud_conf.hpp"
#include "openstack/identity/endpoints.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::openstack {
namespace {

using nlohmann::json;

GlobalSettings global(const std::string& options) {
  auto conf = read_cloud_conf("[Global]\nauth-url = http://keystone/v3\n" + options);
  EXPECT_TRUE(conf.ok()) << conf.status().message();
  return conf.ok() ? conf->settings.global : GlobalSettings();
}

json request_of(const std::string& options) {
  const auto login = login_request(global(options));
  EXPECT_TRUE(login.ok()) << login.status().message();
  return login.ok() ? json::parse(login->body.reveal()).at("auth") : json();
}

std::string refusal_of(const std::string& options) {
  const auto login = login_request(global(options));
  EXPECT_EQ(login.status().code(), Code::invalid_argument);
  return login.status().message();
}

TEST(LoginTest, OS_43_44_65_68_74_PasswordByNameTakesTheDomainOfBothWhenTheUserHasNone) {
  const json wanted = json::parse(R"({
    "identity": {"methods": ["password"], "password":
      {"user": {"name": "u", "password": "p", "domain": {"id": "d"}}}},
    "scope": {"project": {"name": "t", "domain": {"id": "d"}}}})");
  EXPECT_EQ(request_of("username = u\npassword = p\ntenant-name = t\ndomain-id = d"), wanted);
  const json own =
      request_of("username = u\npassword = p\ntenant-id = t\ndomain-id = d\nuser-domain-name = UD");
  EXPECT_EQ(own["identity"]["password"]["user"]["domain"], json({{"name", "UD"}}));
  EXPECT_EQ(own["scope"], json::parse(R"({"project": {"id": "t"}})"));
  EXPECT_NE(refusal_of("username = u\npassword = p").find("username needs"), std::string::npos);
}

TEST(LoginTest, OS_69_PasswordById) {
  const json auth = request_of("user-id = u\npassword = p\ntenant-id = t");
  EXPECT_EQ(auth["identity"]["password"]["user"], json::parse(R"({"id": "u", "password": "p"})"));
  EXPECT_NE(refusal_of("user-id = u\nusername = n\npassword = p").find("give one of them"),
            std::string::npos);
}

TEST(LoginTest, OS_47_67_70_ATokenWinsOverAPasswordAndNeedsAScope) {
  const json auth = request_of("token = T\nusername = u\npassword = p\ntenant-id = t");
  EXPECT_EQ(auth["identity"], json::parse(R"({"methods": ["token"], "token": {"id": "T"}})"));
  EXPECT_NE(refusal_of("token = T").find("token needs"), std::string::npos);
}

TEST(LoginTest, OS_46_71_72_ApplicationCredentialsHaveNoScope) {
  const json by_id =
      request_of("application-credential-id = i\napplication-credential-secret = s\ntenant-id = t");
  EXPECT_EQ(by_id, json::parse(R"({"identity": {"methods": ["application_credential"],
                "application_credential": {"id": "i", "secret": "s"}}})"));
  const json by_name = request_of(
      "application-credential-name = n\napplication-credential-secret = s\nusername = u\n"
      "user-domain-id = d");
  EXPECT_EQ(by_name["identity"]["application_credential"],
            json::parse(R"({"name": "n", "secret": "s",
                "user": {"name": "u", "domain": {"id": "d"}}})"));
  EXPECT_NE(refusal_of("application-credential-id = i").find("secret is missing"),
            std::string::npos);
}

TEST(LoginTest, OS_66_73_APasswordBesideAnApplicationCredentialHasNoScope) {
  const json auth = request_of(
      "user-id = u\npassword = p\ntenant-id = t\napplication-credential-id = i\n"
      "application-credential-secret = s");
  EXPECT_EQ(auth["identity"]["methods"], json::array({"password"}));
  EXPECT_FALSE(auth.contains("scope"));
}

TEST(LoginTest, OS_75_ADomainIsTheScopeWhenThereIsNoProject) {
  EXPECT_EQ(request_of("user-id = u\npassword = p\ndomain-name = D")["scope"],
            json::parse(R"({"domain": {"name": "D"}})"));
  EXPECT_FALSE(request_of("user-id = u\npassword = p").contains("scope"));
}

TEST(LoginTest, OS_45_76_ATrustIsTheScopeAndTheTrusteeTheUser) {
  const json auth = request_of("trust-id = t\ntrustee-id = e\ntrustee-password = p\ntenant-id = x");
  EXPECT_EQ(auth, json::parse(R"({"identity": {"methods": ["password"], "password":
                {"user": {"id": "e", "password": "p"}}},
                "scope": {"OS-TRUST:trust": {"id": "t"}}})"));
  EXPECT_NE(refusal_of("trust-id = t").find("needs the user whom the trust is for"),
            std::string::npos);
  EXPECT_NE(refusal_of("trust-id = t\nuser-id = u").find("and password"), std::string::npos);
  EXPECT_NE(refusal_of("trust-id = t\ntrustee-id = e\ntrustee-password = p\nusername = u")
                .find("leave username out"),
            std::string::npos);
}

// Magnum's template.
TEST(LoginTest, OS_76_capo_1308_TheUserHasTheTrustWhereNoTrusteeIsGiven) {
  const json scope = json::parse(R"({"OS-TRUST:trust": {"id": "t"}})");
  const json by_id = request_of("trust-id = t\nuser-id = u\npassword = p\ntenant-id = x");
  EXPECT_EQ(by_id["identity"]["password"]["user"], json::parse(R"({"id": "u", "password": "p"})"));
  EXPECT_EQ(by_id["scope"], scope);
  const json replaced = request_of("trust-id = t\nuser-id = u\npassword = p\ntrustee-password = q");
  EXPECT_EQ(replaced["identity"]["password"]["user"]["password"], "q");
  const json trustee = request_of("trust-id = t\nuser-id = u\npassword = p\ntrustee-id = e");
  EXPECT_EQ(trustee["identity"]["password"]["user"],
            json::parse(R"({"id": "e", "password": "p"})"));
}

TEST(LoginTest, OS_76_kubespray_3124_ATrustForAUserByName) {
  const json auth =
      request_of("trust-id = t\nusername = u\nuser-domain-name = D\npassword = p\ntoken = T");
  EXPECT_EQ(auth, json::parse(R"({"identity": {"methods": ["password"], "password":
                {"user": {"name": "u", "password": "p", "domain": {"name": "D"}}}},
                "scope": {"OS-TRUST:trust": {"id": "t"}}})"));
  EXPECT_NE(refusal_of("trust-id = t\nusername = u\npassword = p").find("username needs"),
            std::string::npos);
}

TEST(LoginTest, TheDescriptionHoldsNoSecret) {
  const auto login = login_request(global("user-id = u\npassword = hidden\ntenant-id = t"));
  ASSERT_TRUE(login.ok());
  EXPECT_EQ(login->description, "user u by password, project t");
}

Token token_with(const std::string& service, const std::string& url) {
  Token token;
  token.catalog = {{"identity", "public", "R", "R", "http://k"},
                   {service, "internal", "R", "R", "http://internal"},
                   {service, "public", "Other", "Other", "http://other"},
                   {service, "public", "Name", "R", url}};
  return token;
}

TEST(EndpointTest, OS_42_92_TypeInterfaceAndRegionChoose) {
  const Token token = token_with("compute", "http://nova/v2.1/project/");
  GlobalSettings settings;
  settings.region = "R";
  EXPECT_EQ(*service_url(token, settings.os_endpoint_type, settings.region, "compute"),
            "http://nova/v2.1/project");
  settings.os_endpoint_type = "internal";
  EXPECT_EQ(*service_url(token, settings.os_endpoint_type, settings.region, "compute"),
            "http://internal/v2.1");
  settings.os_endpoint_type = "admin";
  const Status missing =
      service_url(token, settings.os_endpoint_type, settings.region, "compute").status();
  EXPECT_NE(missing.message().find("no admin endpoint of the service compute in region R"),
            std::string::npos);
  settings = GlobalSettings();
  EXPECT_EQ(*service_url(token, settings.os_endpoint_type, settings.region, "compute"),
            "http://other/v2.1");
}

TEST(EndpointTest, OS_91_95_96_AVersionInTheCatalogIsNotRepeated) {
  const std::pair<const char*, const char*> services[] = {
      {"network", "/v2.0"}, {"load-balancer", "/v2.0/lbaas"}, {"key-manager", "/v1"}};
  for (const auto& [service, path] : services) {
    for (const char* url : {"http://h/p", "http://h/p/", "http://h/p/v2.0", "http://h/p/v1/"}) {
      EXPECT_EQ(*service_url(token_with(service, url), "", "Name", service),
                std::string("http://h/p") + path);
    }
  }
}

TEST(EndpointTest, OS_79_80_81_KeystonesUrlIsTheOneThatItNames) {
  const char* versions = R"({"versions": {"values": [
      {"id": "v2.0", "status": "deprecated", "links": [{"rel": "self", "href": "http://x/v2.0/"}]},
      {"id": "v3.14", "status": "stable",
       "links": [{"rel": "self", "href": "http://inside/srv1/identity/v3/"}]}]}})";
  EXPECT_EQ(*identity_url("https://outside/srv1/identity", versions),
            "https://outside/srv1/identity/v3");
  EXPECT_FALSE(identity_url("https://outside", R"({"versions": []})").ok());
  EXPECT_FALSE(identity_url("https://outside", "<html>").ok());
  EXPECT_TRUE(has_version("http://h/identity/v3/"));
  EXPECT_FALSE(has_version("http://h/srv1/identity"));
}

}  // namespace
}  // namespace ccm::openstack
