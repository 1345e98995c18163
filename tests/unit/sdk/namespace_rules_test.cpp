// Sharing and leaving things behind, by the namespace of a Service.
#include <ccm/host.hpp>
#include <ccm/namespace_rules.hpp>
#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

class NamespaceRulesTest : public ::testing::Test {
 protected:
  Object service(const std::string& share) {
    return host_.objects.make(R"({"metadata":{"name":"web","namespace":"t2","annotations":)"
                              R"({"cloud-controller-manager/share-load-balancer":")" +
                              share + R"("}}})");
  }
  testing::FakeHost host_;
  const Host sdk_{host_.abi()};
};

TEST_F(NamespaceRulesTest, AListHasWholeNames) {
  EXPECT_TRUE(lists_namespace("shop", "shop"));
  EXPECT_TRUE(lists_namespace(" blog,\n shop ,", "shop"));
  EXPECT_TRUE(lists_namespace("blog *", "shop"));
  for (const char* list : {"", " ", ",,", "sho", "shops", "my-shop,blog", "shop.blog"}) {
    EXPECT_FALSE(lists_namespace(list, "shop")) << list;
  }
}

TEST_F(NamespaceRulesTest, ItsOwnNamespaceAndThoseThatTheServiceNamesShareIt) {
  EXPECT_TRUE(shares_load_balancer_with(sdk_.config, service(""), "t2"));
  EXPECT_FALSE(shares_load_balancer_with(sdk_.config, service(""), "t1"));
  EXPECT_FALSE(shares_load_balancer_with(sdk_.config, service("t3"), "t1"));
  EXPECT_TRUE(shares_load_balancer_with(sdk_.config, service("t3,t1"), "t1"));
  host_.config.set_flag("load-balancer-sharing-across-namespaces", "true");
  EXPECT_TRUE(shares_load_balancer_with(sdk_.config, service(""), "t1"));
}

TEST_F(NamespaceRulesTest, AllMayLeaveThingsBehindUnlessTheFlagNamesSome) {
  EXPECT_TRUE(may_retain_load_balancers(sdk_.config, "t1"));
  host_.config.set_flag("load-balancer-retention-namespaces", "shop");
  EXPECT_FALSE(may_retain_load_balancers(sdk_.config, "t1"));
  EXPECT_TRUE(may_retain_load_balancers(sdk_.config, "shop"));
  host_.config.set_flag("load-balancer-retention-namespaces", "");
  EXPECT_FALSE(may_retain_load_balancers(sdk_.config, "shop"));
}

}  // namespace
}  // namespace ccm
