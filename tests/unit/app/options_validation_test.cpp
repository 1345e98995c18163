#include "app/flags/options_command_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ccm::app {
namespace {

using Strings = std::vector<std::string>;

const std::vector<KnownController> kKnownControllers{
    {"cloud-node-controller", {"cloud-node"}, true},
    {"node-route-controller", {"route"}, true},
    {"node-ipam-controller", {"nodeipam"}, true}};

Validation validate(Strings arguments) {
  CommandLine line;
  if (std::none_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
        return argument.starts_with("--cloud-provider");
      })) {
    arguments.emplace_back("--cloud-provider=sandbox");
  }
  const Status status = line.parse(arguments);
  EXPECT_TRUE(status.ok()) << status.message();
  return line.validate(kKnownControllers);
}

void expect_error(const Strings& arguments, const std::string& part) {
  const Validation result = validate(arguments);
  ASSERT_EQ(result.errors.size(), 1U) << arguments[0];
  EXPECT_NE(result.errors[0].find(part), std::string::npos) << result.errors[0];
  EXPECT_EQ(result.errors[0].find('\n'), std::string::npos);
}

TEST(Validation, DefaultsAreValid) {
  const Validation result = validate({});
  EXPECT_TRUE(result.errors.empty());
  EXPECT_TRUE(result.idle.empty());
  EXPECT_EQ(result.enabled.size(), 3U);
}

TEST(Validation, HOST_6_AProviderIsRequired) {
  expect_error({"--cloud-provider="}, "--cloud-provider must name a provider");
}

TEST(Validation, HOST_5_FaultsOfAllGroupsTogether) {
  const Validation result =
      validate({"--node-monitor-period=0s", "--secure-port=70000", "--logging-format=xml",
                "--leader-elect-resource-lock=endpoints", "--controllers=rout"});
  EXPECT_EQ(result.errors.size(), 5U);
}

TEST(Validation, HOST_21_ContentType) {
  expect_error({"--kube-api-content-type=application/yaml"}, "--kube-api-content-type must be");
  expect_error({"--kube-api-content-type=json"}, "application/json");
}
TEST(Validation, HOST_35_Concurrency) { expect_error({"--kube-api-burst=-1"}, "--kube-api-burst"); }

TEST(Validation, Periods) {
  for (const char* flag : {"--node-monitor-period", "--node-status-update-frequency",
                           "--route-reconciliation-period", "--log-flush-frequency"}) {
    expect_error({std::string(flag) + "=0s"}, std::string(flag) + " must be above 0, is 0s");
  }
  expect_error({"--min-resync-period=-1s"}, "--min-resync-period must not be negative, is -1s");
  expect_error({"--controller-start-interval=-1s"}, "--controller-start-interval");
}

TEST(Validation, TheDeletionBrakesLimits) {
  for (const char* percent : {"-1", "101"}) {
    expect_error({std::string("--deletion-brake-percent=") + percent},
                 "--deletion-brake-percent must be from 0 to 100");
  }
  expect_error({"--deletion-brake-minimum=-1"}, "--deletion-brake-minimum must be at least 0");
  expect_error({"--deletion-brake-window=0s"}, "--deletion-brake-window must be above 0");
  expect_error({"--deletion-brake-hold=0s"}, "--deletion-brake-hold must be above 0");
  EXPECT_TRUE(
      validate({"--deletion-brake-percent=100", "--deletion-brake-minimum=0"}).errors.empty());
}

TEST(Validation, LimitsOfChangesOfLoadBalancers) {
  for (const std::string limit : {"--load-balancer-change", "--load-balancer-namespace"}) {
    expect_error({limit + "-burst=-1"}, limit + "-burst must be at least 0");
    expect_error({limit + "-period=0s"}, limit + "-period must be above 0");
    EXPECT_TRUE(validate({limit + "-burst=0"}).errors.empty());
  }
  expect_error({"--load-balancer-replacement-window=-1s"},
               "--load-balancer-replacement-window must not be negative");
  EXPECT_TRUE(validate({"--load-balancer-replacement-window=0s"}).errors.empty());
}

TEST(Validation, HOST_47_Ports) {
  expect_error({"--secure-port=-1"}, "--secure-port must be from 0 to 65535, is -1");
  expect_error({"--webhook-secure-port=65536"}, "--webhook-secure-port");
  expect_error({"--webhook-secure-port=10258"}, "--webhook-secure-port must differ");
  EXPECT_TRUE(validate({"--secure-port=0", "--webhook-secure-port=0"}).errors.empty());
}

TEST(Validation, HOST_54_CertificateAndKeyBelongTogether) {
  expect_error({"--tls-cert-file=a"}, "--tls-cert-file and --tls-private-key-file");
  expect_error({"--webhook-tls-private-key-file=a"}, "--webhook-tls-cert-file");
  expect_error({"--tls-min-version=1.2"}, "--tls-min-version");
}

TEST(Validation, HOST_110_LeaseTimings) {
  expect_error({"--leader-elect-lease-duration=10s"},
               "must be above --leader-elect-renew-deadline");
  expect_error({"--leader-elect-retry-period=9s"}, "must be above 1.2 times");
  expect_error({"--leader-elect-renew-deadline=2400ms"}, "must be above 1.2 times");
  EXPECT_TRUE(validate({"--leader-elect-renew-deadline=2401ms"}).errors.empty());
  expect_error({"--leader-elect-retry-period=0s"}, "--leader-elect-retry-period must be above 0");
  expect_error({"--leader-elect-lease-duration=900ms", "--leader-elect-renew-deadline=500ms",
                "--leader-elect-retry-period=100ms"},
               "at least 1s");
}

TEST(Validation, HOST_27_LocksAreLeases) {
  expect_error({"--leader-elect-resource-lock=endpoints"}, "must be leases, is \"endpoints\"");
  expect_error({"--leader-elect-resource-name="}, "--leader-elect-resource-name");
  expect_error({"--leader-elect-resource-namespace="}, "--leader-elect-resource-namespace");
}

TEST(Validation, HOST_119_WithoutElectionItsFlagsDoNotMatter) {
  EXPECT_TRUE(validate({"--leader-elect=false", "--leader-elect-lease-duration=0s",
                        "--leader-elect-resource-lock=endpoints"})
                  .errors.empty());
}

TEST(Validation, HOST_70_WildcardsStandAtTheEnd) {
  EXPECT_TRUE(validate({"--authorization-always-allow-paths=/healthz,/debug/*"}).errors.empty());
  expect_error({"--authorization-always-allow-paths=/a/*/b"}, "a * may only stand at the end");
  expect_error({"--authorization-always-allow-paths=/a/**"}, "a * may only stand at the end");
}

TEST(Validation, HOST_67_HeadersAreNotEmpty) {
  expect_error({"--requestheader-group-headers=a,"}, "--requestheader-group-headers");
}

TEST(Validation, HOST_72_Logging) {
  expect_error({"--logging-format=xml"}, "must be text or json");
  expect_error({"--vmodule=a"}, "--vmodule: \"a\"");
  expect_error({"--vmodule=a=1", "--logging-format=json"}, "--logging-format=text only");
  EXPECT_TRUE(validate({"--logging-format=json", "-v=4"}).errors.empty());
  expect_error({"--logging-format=json", "--feature-gates=LoggingBetaOptions=false"},
               "needs the feature gate LoggingBetaOptions");
}

TEST(Validation, HOST_73_AlphaLoggingNeedsItsGate) {
  expect_error({"--log-text-split-stream"}, "LoggingAlphaOptions=true");
  expect_error({"--log-json-info-buffer-size=64Ki"}, "LoggingAlphaOptions=true");
  EXPECT_TRUE(validate({"--log-text-split-stream", "--feature-gates=LoggingAlphaOptions=true"})
                  .errors.empty());
}

TEST(Validation, HOST_80_UnknownControllers) {
  expect_error({"--controllers=*,-rout"}, "--controllers: \"rout\" is not a known controller");
}

TEST(Validation, HOST_45_WebhooksAreRefused) {
  for (const char* webhooks : {"--webhooks=x", "--webhooks=*", "--webhooks=-x"}) {
    expect_error({webhooks}, "--webhooks must be empty: this program serves no webhooks");
  }
  EXPECT_TRUE(validate({"--webhooks="}).errors.empty());
}

TEST(Validation, HOST_13_AtMostOneRangeForEachFamily) {
  EXPECT_TRUE(validate({"--cluster-cidr= 10.0.0.0/8,fd00::/48 "}).errors.empty());
  expect_error({"--cluster-cidr=10.0.0.0/8,10.1.0.0/16"}, "one of IPv4 and one of IPv6");
  expect_error({"--cluster-cidr=10.0.0.0/8,fd00::/48,fd01::/48"}, "at most two");
  expect_error({"--cluster-cidr=10.0.0.0/8, fd00::/48"}, "\" fd00::/48\" is no address range");
  expect_error({"--cluster-cidr=10.0.0.0"}, "\"10.0.0.0\" is no address range");
}

TEST(Validation, AdditionalPodRangesAreRangesButNotAll) {
  EXPECT_TRUE(
      validate({"--additional-pod-cidrs= 10.9.0.0/16,10.10.0.0/16,fd00::/48"}).errors.empty());
  expect_error({"--additional-pod-cidrs=10.9.0.0"}, "\"10.9.0.0\" is no address range");
  expect_error({"--additional-pod-cidrs=0.0.0.0/0"}, "0.0.0.0/0 permits everything");
  expect_error({"--additional-pod-cidrs=10.9.0.0/16,::/0"}, "::/0 permits everything");
}

TEST(Validation, HOST_121_LeaderMigrationNeedsItsFlagAndAnElection) {
  const Validation alone = validate({"--enable-leader-migration", "--leader-elect=false"});
  ASSERT_EQ(alone.idle.size(), 1U);
  EXPECT_EQ(alone.idle[0].flag, "--enable-leader-migration");
  const Validation file = validate({"--leader-migration-config=/m.yaml"});
  ASSERT_EQ(file.idle.size(), 1U);
  EXPECT_EQ(file.idle[0].flag, "--leader-migration-config");
  EXPECT_TRUE(validate({"--enable-leader-migration"}).idle.empty());
}

TEST(Validation, IPAM_2_AllocationNeedsARange) {
  expect_error({"--allocate-node-cidrs"}, "--allocate-node-cidrs needs --cluster-cidr");
}

TEST(Validation, IPAM_1_TheFlagAloneStartsNoAllocator) {
  for (const char* range : {"--cluster-cidr=", "--cluster-cidr=10.0.0.0/8"}) {
    const Validation off = validate({"--allocate-node-cidrs", "--controllers=*,-nodeipam",
                                     "--configure-cloud-routes=false", range});
    EXPECT_TRUE(off.errors.empty());
    ASSERT_EQ(off.idle.size(), 1U);
    EXPECT_NE(off.idle[0].why.find("--controllers=*,node-ipam-controller"), std::string::npos);
  }
  EXPECT_TRUE(validate({"--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/8"}).idle.empty());
}

TEST(Validation, TRAP_1_AnEmptyRangeIsForTheRouteControllerToRefuse) {
  const Validation empty = validate({"--cluster-cidr="});
  EXPECT_TRUE(empty.errors.empty());
  EXPECT_TRUE(empty.idle.empty());
}

}  // namespace
}  // namespace ccm::app
