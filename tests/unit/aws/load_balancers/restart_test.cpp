// What a new process reads of load balancers that an earlier one made.
#include "fixture.hpp"

#include <algorithm>

namespace ccm::aws {
namespace {

const std::string kApplied(kAppliedOptions);

class AwsRestartTest : public AwsLoadBalancersTest {
 protected:
  AwsRestartTest() { host.config.set_flag("load-balancer-audit-period", "30m0s"); }

  // A new process looks; nothing may be written by that. The difference that it tells.
  std::string first_look(const LoadBalancerService& service) {
    start();
    const std::string text = difference(service);
    EXPECT_EQ(cloud.writes(), 0);
    return text;
  }
  int reads_of_one() {
    int sum = 0;
    for (const char* action :
         {"DescribeListeners", "DescribeTargetHealth", "DescribeLoadBalancerAttributes",
          "DescribeTargetGroupAttributes", "DescribeListenerCertificates"}) {
      sum += cloud.count(action);
    }
    return sum;
  }
  // As the controller records it on the Service.
  LoadBalancerService recorded(const LoadBalancerService& service, Annotated annotations,
                               const LoadBalancer& answer) {
    for (const Label& one : answer.annotations) annotations[one.key] = one.value;
    auto out = with(service, annotations);
    out.id = answer.id;
    return out;
  }
};

TEST_F(AwsRestartTest, BeforeOptionsChangeTheServiceSaysThatTheyAreNotKnown) {
  const Annotated plain{{"type", "nlb"}};
  const Annotated proxied{{"type", "nlb"}, {"proxy-protocol", "*"}};
  const auto made = ensured(with(web(), plain));
  auto service = recorded(web(), proxied, made);
  cloud.clear_log();
  const auto first = ensured(service);
  EXPECT_EQ(first.state, LoadBalancerState::pending);
  EXPECT_GT(first.retry_after.count(), 0) << "at once";
  EXPECT_EQ(cloud.writes(), 0);
  ASSERT_EQ(first.annotations.size(), 2U);
  EXPECT_EQ(first.annotations[0].key, kOwnOptions) << "recorded before it is done";
  EXPECT_EQ(first.annotations[1].value, "unknown");

  // The process is killed after the write, and the user takes the annotation away.
  ensured(recorded(web(), proxied, first));
  EXPECT_EQ(first_look(recorded(web(), plain, first)), "attributes of TCP 80");

  const auto last = ensured(recorded(web(), plain, first));
  EXPECT_EQ(last.difference, "attributes of TCP 80");
  EXPECT_EQ(first_look(recorded(web(), plain, last)), "");
  EXPECT_EQ(reads_of_one(), 1);
}

TEST_F(AwsRestartTest, AFailureLeavesTheOptionsUnknown) {
  const Annotated idle{{"connection-idle-timeout", "90"}};
  const auto made = ensured(with(web(), {}));
  const auto first = ensured(recorded(web(), idle, made));
  EXPECT_EQ(first.state, LoadBalancerState::pending);
  fail("ModifyLoadBalancerAttributes", "ValidationError");
  const auto failed = ensure(recorded(web(), idle, first));
  ASSERT_FALSE(failed.ok());
  ASSERT_NE(failed.partial(), nullptr);
  ASSERT_EQ(failed.partial()->annotations.size(), 1U);
  EXPECT_EQ(failed.partial()->annotations[0].value, "unknown");
}

// A program that takes unknown annotations away does not keep options from changing.
TEST_F(AwsRestartTest, AServiceThatDoesNotSaySoIsChangedAllTheSame) {
  const auto made = ensured(with(web(), {}));
  const auto service = recorded(web(), {{"connection-idle-timeout", "90"}}, made);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ensured(service).state, LoadBalancerState::pending);
  EXPECT_EQ(ensured(service).state, LoadBalancerState::active);
}

TEST_F(AwsRestartTest, AnUpdateOfMembersSaysNothingAboutOptions) {
  const auto made = ensured(with(web(), {}));
  const auto service = recorded(web(), {{"connection-idle-timeout", "90"}}, made);
  const auto updated = update(service, nodes(2));
  ASSERT_TRUE(updated.ok());
  EXPECT_TRUE(updated->annotations.empty());
  const auto seen = observe(service);
  ASSERT_TRUE(seen.ok());
  EXPECT_NE(seen->difference, "");
  EXPECT_TRUE(seen->annotations.empty());
}

// A guest does not compare the load balancer's own attributes, and may become its owner.
TEST_F(AwsRestartTest, NoneOfSeveralServicesSpeaksForTheLoadBalancer) {
  const Annotated shares{{"type", "nlb"},
                         {"attributes", "load_balancing.cross_zone.enabled=true"},
                         {"cloud-controller-manager/share-load-balancer", "default"}};
  const Annotated plain{{"type", "nlb"}};
  const auto made = ensured(with(web(), shares));
  const auto owner = recorded(web(), shares, made);
  host.kube.put("v1/services", owner.object.json());
  auto guest_service = web({443});
  guest_service.name = "guest";
  guest_service.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  auto guest = with(guest_service, plain);
  guest.id = made.id;
  const auto joined = ensured(guest);
  EXPECT_EQ(joined.state, LoadBalancerState::shared);
  ASSERT_EQ(joined.annotations.size(), 1U);
  EXPECT_EQ(joined.annotations[0].value, "unknown");
  guest = recorded(guest_service, plain, joined);
  EXPECT_TRUE(remove(owner).ok());
  EXPECT_EQ(first_look(guest), "attributes") << "those of the former owner";
}

TEST_F(AwsRestartTest, AWS_105_ANetworkLoadBalancerCostsOneReadHoweverManyPortsItHas) {
  const Annotated plain{{"type", "nlb"}};
  const auto made = ensured(nlb({80, 443, 8080}));
  EXPECT_TRUE(made.annotations.empty());
  const auto service = recorded(web({80, 443, 8080}), plain, made);
  EXPECT_EQ(first_look(service), "");
  EXPECT_EQ(reads_of_one(), 1);
  EXPECT_EQ(cloud.count("DescribeTargetHealth"), 1);
  cloud.clear_log();
  EXPECT_EQ(difference(service), "") << "a comparison reads all";
  EXPECT_EQ(reads_of_one(), 8);
}

TEST_F(AwsRestartTest, AWS_86_AClassicOneCostsNone) {
  const auto made = ensured(with(web(), {}));
  EXPECT_EQ(first_look(recorded(web(), {}, made)), "");
  EXPECT_EQ(reads_of_one(), 0);
}

TEST_F(AwsRestartTest, WhatListingsShowIsSeenAtOnce) {
  const Annotated plain{{"type", "nlb"}};
  const auto service = recorded(web({80, 443}), plain, ensured(nlb({80, 443})));
  const auto group_of = [&](int64_t port) -> aws_api::TargetGroup& {
    const auto listener = std::find_if(cloud.listeners.begin(), cloud.listeners.end(),
                                       [&](const auto& one) { return one.second.port == port; });
    return cloud.targets[listener->second.group];
  };
  group_of(443).targets.erase(instance(1));
  EXPECT_EQ(first_look(service), "targets of TCP 443");
  ensured(service);
  group_of(80).fields["HealthyThresholdCount"] = "9";
  EXPECT_EQ(first_look(service), "health check of TCP 80");
  ensured(service);
  const auto gone = std::find_if(cloud.listeners.begin(), cloud.listeners.end(),
                                 [](const auto& one) { return one.second.port == 80; });
  cloud.listeners.erase(gone);
  EXPECT_EQ(first_look(service), "listener TCP 80");
  ensured(service);
  EXPECT_EQ(first_look(service), "");
  EXPECT_EQ(first_look(recorded(web({80}), plain, *observe(service))),
            "listener TCP 443, security groups of Nodes");
}

TEST_F(AwsRestartTest, OptionsThatNoListingShowsAreRecordedOnTheService) {
  const Annotated proxied{{"type", "nlb"}, {"proxy-protocol", "*"}};
  const auto made = ensured(with(web(), proxied));
  ASSERT_EQ(made.annotations.size(), 2U);
  EXPECT_EQ(made.annotations[0].key, kOwnOptions);
  EXPECT_EQ(made.annotations[1].key, kApplied);
  EXPECT_EQ(first_look(recorded(web(), proxied, made)), "");
  EXPECT_EQ(reads_of_one(), 1);

  // The annotation was taken away while no manager ran.
  const auto plain = recorded(web(), {{"type", "nlb"}}, made);
  EXPECT_EQ(first_look(plain), "attributes of TCP 80");
  EXPECT_EQ(ensured(plain).annotations[1].value, "unknown");
  const std::string own = made.annotations[0].value;
  const auto changed = ensured(
      recorded(web(), {{"type", "nlb"}, {std::string(kOwnOptions), own}, {kApplied, "unknown"}},
               *observe(plain)));
  ASSERT_EQ(changed.annotations.size(), 2U) << "what was recorded is kept up to date";
  EXPECT_EQ(changed.annotations[0].value, own);
  EXPECT_NE(changed.annotations[1].value, made.annotations[1].value);
  EXPECT_EQ(first_look(recorded(web(), {{"type", "nlb"}}, changed)), "");
  EXPECT_EQ(reads_of_one(), 1);
}

TEST_F(AwsRestartTest, TheSameGoesForTlsAndClassicAttributes) {
  const Annotated tls{{"type", "nlb"}, {"ssl-cert", "arn:aws:acm:us-east-1:1:certificate/1"}};
  const auto secure = ensured(with(web({443}), tls));
  ASSERT_EQ(secure.annotations.size(), 1U);
  EXPECT_EQ(first_look(recorded(web({443}), tls, secure)), "");
  EXPECT_EQ(reads_of_one(), 1);
  EXPECT_EQ(first_look(recorded(web({443}), {{"type", "nlb"}}, secure)), "listener TCP 443");
  EXPECT_TRUE(remove(with(web({443}), tls)).ok());

  const Annotated idle{{"connection-idle-timeout", "90"}};
  const auto classic_one = ensured(with(web(), idle));
  ASSERT_EQ(classic_one.annotations.size(), 1U);
  EXPECT_EQ(first_look(recorded(web(), idle, classic_one)), "");
  EXPECT_EQ(reads_of_one(), 0);
  EXPECT_EQ(first_look(recorded(web(), {}, classic_one)), "attributes");
}

TEST_F(AwsRestartTest, AWS_105_OneThatThisManagerHasNotRecordedIsReadWhole) {
  const Annotated plain{{"type", "nlb"}};
  const auto made = ensured(nlb());
  EXPECT_EQ(first_look(nlb()), "") << "the Go manager records no id";
  EXPECT_EQ(reads_of_one(), 4);
  host.config.set_flag("load-balancer-audit-period", "0s");
  EXPECT_EQ(first_look(recorded(web(), plain, made)), "");
  EXPECT_EQ(reads_of_one(), 4) << "no comparison follows";
  host.config.set_flag("load-balancer-audit-period", "24h0m0s");
  EXPECT_EQ(first_look(recorded(web(), plain, made)), "");
  EXPECT_EQ(reads_of_one(), 4) << "none follows soon";
  host.config.set_flag("load-balancer-audit-period", "30m0s");
  host.config.set_flag("dry-run", "client");
  EXPECT_EQ(first_look(recorded(web(), plain, made)), "");
  EXPECT_EQ(reads_of_one(), 4) << "a dry run has no second look";
}

}  // namespace
}  // namespace ccm::aws
