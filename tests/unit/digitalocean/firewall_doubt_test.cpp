// Services in doubt (DO-261): nothing of theirs is closed, nothing is opened.
#include "firewall_fixture.hpp"

namespace ccm::digitalocean {
namespace {

class FirewallDoubtTest : public FirewallTest {
 protected:
  // Three Services, each with rules that its doubtful form does not tell.
  void put_all(bool doubtful) {
    json ranges = balanced(80);
    ranges["loadBalancerSourceRanges"] = {"10.0.0.0/8"};
    put("ranges", ranges,
        {{kIdOfLb, "lb-0"}, {kLb + "type", doubtful ? "GLOBAL" : "REGIONAL_NETWORK"}});
    put("rules", balanced(81),
        {{kLb + "allow-rules", doubtful ? "cidr:192.0.2.0/24,all" : "cidr:192.0.2.0/24"}});
    put("checked", balanced(82),
        {{kIdOfLb, "lb-2"},
         {kLb + "override-health-check", ""},
         {kLb + "healthcheck-port", "82"},
         {kLb + "healthcheck-protocol", doubtful ? "ftp" : "tcp"}});
  }
  // Changes another Service, so that the firewall is written.
  void write_for(int port) {
    put("other", node_port(port, port));
    settle();
    served.insert("tcp/" + std::to_string(port) + everywhere);
    EXPECT_EQ(open(), served);
    served.erase("tcp/" + std::to_string(port) + everywhere);
  }

  Rules served{"tcp/80 10.0.0.0/8", "tcp/10256 lb-0", "tcp/81 192.0.2.0/24", "tcp/82" + everywhere,
               "tcp/30082 lb-2"};
};

TEST_F(FirewallDoubtTest, DO_261_ADoubtClosesNothing) {
  put_all(false);
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(open(), served);
  put_all(true);
  write_for(30090);
  EXPECT_EQ(host.events.with_reason("FirewallConfigWarning").size(), 3U);
}

TEST_F(FirewallDoubtTest, DO_261_ADoubtClosesNothingAfterARestart) {
  put_all(false);
  ASSERT_TRUE(start<FirewallController>().ok());
  json& made = cloud.firewalls().begin()->second;
  made["inbound_rules"][0]["sources"]["tags"] = {"edge"};
  put_all(true);
  controller.reset();
  ASSERT_TRUE(start<FirewallController>().ok());
  write_for(30091);
  const std::string now = firewall().dump();
  EXPECT_NE(now.find("edge"), std::string::npos) << "a source that was added by hand";
  put_all(false);
  settle();
  cloud.clear_log();
  write_for(30092);
}

TEST_F(FirewallDoubtTest, DO_261_ADoubtAfterARestartKeepsNoOtherPorts) {
  put("web", balanced(80), {{kIdOfLb, "lb-1"}});
  put("gone", balanced(81), {{kIdOfLb, "lb-2"}});
  ASSERT_TRUE(start<FirewallController>().ok());
  put("web", balanced(80), {{kIdOfLb, "lb-1"}, {kLb + "type", "GLOBAL"}});
  controller.reset();
  host.kube.remove("v1/services", "gone", "default");
  ASSERT_TRUE(start<FirewallController>().ok());
  EXPECT_EQ(open(), (Rules{"tcp/80" + everywhere, "tcp/10256 lb-1"}));
}

// The load balancer still has the earlier port: a Service in doubt is not applied to it.
TEST_F(FirewallDoubtTest, DO_261_APortThatChangesInDoubtChangesNothing) {
  put("web", balanced(80));
  ASSERT_TRUE(start<FirewallController>().ok());
  put("web", balanced(8080), {{kLb + "type", "GLOBAL"}});
  settle();
  EXPECT_EQ(open(), Rules{"tcp/80" + everywhere});
  put("web", balanced(8080));
  settle();
  EXPECT_EQ(open(), Rules{"tcp/8080" + everywhere});
}

}  // namespace
}  // namespace ccm::digitalocean
