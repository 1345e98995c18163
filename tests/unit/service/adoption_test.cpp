// Taking over a load balancer that is not the Service's: --load-balancer-adoption.
#include "service/adoption.hpp"

#include "service_fixture.hpp"

namespace ccm::service {
namespace {

constexpr const char* kAdopt = "cloud-controller-manager/adopt-load-balancer";

TEST(AdoptionRulesTest, NobodyMayByItself) {
  EXPECT_FALSE(AdoptionRules().allow("shop", "web", "lb-1"));
  EXPECT_FALSE(AdoptionRules::parse("")->allow("shop", "web", "lb-1"));
}

TEST(AdoptionRulesTest, AServiceANamespaceOrAllWithAnIdOrWithout) {
  const auto rules = AdoptionRules::parse("shop/web=lb-1, shop/api ,infra/*,test/*=lb-3");
  ASSERT_TRUE(rules.ok()) << rules.status().message();
  EXPECT_TRUE(rules->allow("shop", "web", "lb-1"));
  EXPECT_FALSE(rules->allow("shop", "web", "lb-2"));
  EXPECT_TRUE(rules->allow("shop", "api", "lb-2"));
  EXPECT_FALSE(rules->allow("other", "api", "lb-2"));
  EXPECT_TRUE(rules->allow("infra", "any", "lb-2"));
  EXPECT_TRUE(rules->allow("test", "any", "lb-3"));
  EXPECT_FALSE(rules->allow("test", "any", "lb-2"));
  EXPECT_TRUE(AdoptionRules::parse("*")->allow("shop", "web", "lb-1"));
  EXPECT_FALSE(AdoptionRules::parse("*=lb-2")->allow("shop", "web", "lb-1"));
}

TEST(AdoptionRulesTest, WhatIsNoRuleIsNamed) {
  for (const char* text : {"web", "shop/", "/web", "shop/web=", "*/web", "a/b/c", "shop/web,,"}) {
    const auto rules = AdoptionRules::parse(text);
    ASSERT_FALSE(rules.ok()) << text;
    EXPECT_TRUE(rules.status().message().starts_with("--load-balancer-adoption: \"")) << text;
  }
}

class AdoptionTest : public ServiceTest {
 protected:
  void allow(const std::string& rules) { host.config.set_flag("load-balancer-adoption", rules); }
  static Json annotated(const std::string& name, const char* annotation, const std::string& id) {
    Json service = balanced(name);
    service["metadata"]["annotations"][annotation] = id;
    return service;
  }
  // The cloud's answer about somebody else's load balancer.
  static LoadBalancer theirs() {
    LoadBalancer answer;
    answer.state = LoadBalancerState::foreign;
    answer.id = "lb-1";
    return answer;
  }
};

TEST_F(AdoptionTest, TheUsersWordIsNotEnough) {
  put(annotated("web", kAdopt, "lb-1"));
  start();
  run();
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_EQ(condition("web", kReady)["reason"], "LoadBalancerNotOwned");
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("--load-balancer-adoption=default/web"),
            std::string::npos);
  EXPECT_EQ(last_event("SyncLoadBalancerFailed").find("lb-1"), std::string::npos);
}

TEST_F(AdoptionTest, TheAdministratorsWordIsFollowedOnce) {
  allow("default/web=lb-1");
  put(annotated("web", kAdopt, "lb-1"));
  start();
  run();
  auto calls = host.load_balancers.calls("ensure");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].service.adopt_id, "lb-1");
  EXPECT_EQ(stored("web")["metadata"]["annotations"][kIdAnnotationName], "lb-1");
  take_cloud();
  advance(seconds(60));
  EXPECT_TRUE(take_cloud().empty());
  edit("web", [](Json& s) { s["spec"]["ports"][0]["port"] = 81; });
  run();
  calls = host.load_balancers.calls("ensure");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].service.adopt_id, "");
}

// As DigitalOcean's manager does with its own annotation, where the administrator wants it.
TEST_F(AdoptionTest, TheRecordedIdIsTakenOverToo) {
  allow("default/*");
  host.load_balancers.answer_next("ensure", theirs());
  put(annotated("web", kIdAnnotationName, "lb-1"));
  start();
  run();
  const auto calls = host.load_balancers.calls("ensure");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].service.adopt_id, "");
  EXPECT_EQ(calls[1].service.adopt_id, "lb-1");
  EXPECT_NE(address("web"), "");
}

TEST_F(AdoptionTest, AfterARestartTheRecordedIdIsTakenOverToo) {
  allow("default/web");
  host.load_balancers.answer_next("observe", theirs());
  host.load_balancers.answer_next("ensure", theirs());
  Json service = annotated("web", kIdAnnotationName, "lb-1");
  service["metadata"]["finalizers"] = {kCleanup};
  put(service);
  start();
  run();
  EXPECT_EQ(take_cloud(), (Texts{"observe", "ensure", "ensure"}));
  EXPECT_NE(address("web"), "");
}

TEST_F(AdoptionTest, OneThatAnotherServiceHasIsNotTakenOver) {
  allow("*");
  put(balanced("first"));
  start();
  run();
  ASSERT_EQ(stored("first")["metadata"]["annotations"][kIdAnnotationName], "lb-1");
  take_cloud();
  put(annotated("second", kAdopt, "lb-1"));
  run();
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("serves one Service only"),
            std::string::npos);
  // Nor before this process has looked at it.
  start();
  host.kube.remove("v1/services", "second", "default");
  put(annotated("again", kAdopt, "lb-1"));
  run();
  for (const auto& call : host.load_balancers.calls()) {
    EXPECT_NE(call.service.name, "again") << call.operation;
  }
}

TEST_F(AdoptionTest, OfTwoAtOnceOneGetsIt) {
  allow("*");
  host.load_balancers.created_state = LoadBalancerState::pending;
  for (const char* name : {"a", "b"}) put(annotated(name, kAdopt, "lb-1"));
  start();
  run();
  EXPECT_EQ(host.load_balancers.calls("ensure").size(), 1U);
  EXPECT_NE(last_event("SyncLoadBalancerFailed").find("serves one Service only"),
            std::string::npos);
}

}  // namespace
}  // namespace ccm::service
