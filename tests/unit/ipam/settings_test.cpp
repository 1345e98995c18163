#include "ipam/settings.hpp"

#include "ipam_fixture.hpp"

namespace ccm::ipam {
namespace {

class SettingsTest : public IpamTest {
 protected:
  using Flags = std::vector<std::pair<std::string, std::string>>;

  SettingsReport read(const Flags& flags) {
    for (const char* name :
         {"cluster-cidr", "service-cluster-ip-range", "node-cidr-mask-size",
          "node-cidr-mask-size-ipv4", "node-cidr-mask-size-ipv6", "cidr-allocator-type"}) {
      host.config.set_flag(name, "", false);
    }
    for (const auto& [name, value] : flags) host.config.set_flag(name, value);
    const Config config(Service<ccm_host_config>(host.config.table(), host.config.caller()));
    return read_settings(config);
  }
  std::string pools_of(const Flags& flags) {
    const SettingsReport report = read(flags);
    std::string text;
    for (const std::string& error : report.errors) text += "! " + error;
    for (const PoolSettings& pool : report.settings.pools) {
      text +=
          (text.empty() ? "" : " ") + pool.cluster.text() + ">" + std::to_string(pool.block_prefix);
    }
    return text;
  }
  void expect_error(const Flags& flags, const std::string& part) {
    const SettingsReport report = read(flags);
    ASSERT_EQ(report.errors.size(), 1U) << part;
    EXPECT_NE(report.errors[0].find(part), std::string::npos) << report.errors[0];
  }
};

TEST_F(SettingsTest, IPAM_4_5_6_10_MasksFollowTheFamilies) {
  EXPECT_EQ(pools_of({{"cluster-cidr", " 10.0.0.0/8 "}}), "10.0.0.0/8>24");
  EXPECT_EQ(pools_of({{"cluster-cidr", "fd00::/48"}}), "fd00::/48>64");
  EXPECT_EQ(pools_of({{"cluster-cidr", "10.0.0.0/8"}, {"node-cidr-mask-size", "25"}}),
            "10.0.0.0/8>25");
  EXPECT_EQ(pools_of({{"cluster-cidr", "fd00::/108"}, {"node-cidr-mask-size", "120"}}),
            "fd00::/108>120");
  EXPECT_EQ(pools_of({{"cluster-cidr", "fd00::/48,10.0.0.0/8"},
                      {"node-cidr-mask-size-ipv4", "26"},
                      {"node-cidr-mask-size-ipv6", "60"}}),
            "fd00::/48>60 10.0.0.0/8>26");
  EXPECT_EQ(pools_of({{"cluster-cidr", "10.0.0.0/8,fd00::/56"}}), "10.0.0.0/8>24 fd00::/56>64");
}

TEST_F(SettingsTest, IPAM_2_8_ClusterRanges) {
  expect_error({}, "--cluster-cidr is empty");
  expect_error({{"cluster-cidr", " "}}, "--cluster-cidr is empty");
  expect_error({{"cluster-cidr", "10.0.0.0/8, fd00::/48"}}, "\" fd00::/48\" is no address range");
  expect_error({{"cluster-cidr", "10.0.0.0/8,"}}, "\"\" is no address range");
  expect_error({{"cluster-cidr", "10.0.0.0/8,11.0.0.0/8"}}, "one is IPv4 and one is IPv6");
  expect_error({{"cluster-cidr", "10.0.0.0/8,fd00::/48,fd01::/48"}}, "one is IPv4");
}

TEST_F(SettingsTest, IPAM_9_MaskFlagsThatContradict) {
  const std::pair<std::string, std::string> dual{"cluster-cidr", "10.0.0.0/16,fd00::/48"};
  const std::pair<std::string, std::string> v4{"cluster-cidr", "10.0.0.0/16"};
  const std::pair<std::string, std::string> v6{"cluster-cidr", "fd00::/48"};
  expect_error({dual, {"node-cidr-mask-size", "24"}}, "is for one IP family");
  expect_error({v4, {"node-cidr-mask-size", "24"}, {"node-cidr-mask-size-ipv4", "24"}}, "the same");
  expect_error({v6, {"node-cidr-mask-size", "64"}, {"node-cidr-mask-size-ipv6", "64"}}, "the same");
  expect_error({v4, {"node-cidr-mask-size-ipv6", "64"}}, "no range of that IP family");
  expect_error({v6, {"node-cidr-mask-size-ipv4", "24"}}, "no range of that IP family");
}

TEST_F(SettingsTest, IPAM_11_13_SizesThatCannotBe) {
  expect_error({{"cluster-cidr", "10.0.0.0/25"}}, "larger than it");
  expect_error({{"cluster-cidr", "10.0.0.0/16"}, {"node-cidr-mask-size", "33"}}, "32 at most");
  expect_error({{"cluster-cidr", "10.0.0.0/16"}, {"node-cidr-mask-size", "-1"}}, "from 1 to 128");
  expect_error({{"cluster-cidr", "fd00::/47"}}, "2^17");
  EXPECT_TRUE(read({{"cluster-cidr", "fd00::/48"}}).errors.empty());
  EXPECT_TRUE(read({{"cluster-cidr", "10.0.0.0/8"}, {"node-cidr-mask-size", "30"}}).errors.empty());
  expect_error({{"cluster-cidr", "10.0.0.0/4"}, {"node-cidr-mask-size", "30"}}, "2^26");
}

TEST_F(SettingsTest, IPAM_3_12_ServiceRanges) {
  const std::pair<std::string, std::string> v4{"cluster-cidr", "10.0.0.0/16"};
  const auto with = [&](const char* text) { return Flags{v4, {"service-cluster-ip-range", text}}; };
  EXPECT_EQ(read(with("10.0.0.0/20,fd01::/108")).settings.service_ranges.size(), 2U);
  expect_error(with("10.0.0.0/20,10.0.16.0/20"), "two ranges of one IP family");
  expect_error(with("10.0.0.0/20,fd01::/108,fd02::/108"), "one range or two");
  const SettingsReport wrong = read(with("10.0.0.0/20,nonsense"));
  EXPECT_TRUE(wrong.errors.empty());
  ASSERT_EQ(wrong.warnings.size(), 1U);
  EXPECT_NE(wrong.warnings[0].find("\"nonsense\""), std::string::npos);
  EXPECT_EQ(wrong.settings.service_ranges.size(), 1U);
}

TEST_F(SettingsTest, IPAM_14_15_16_17_OtherAllocators) {
  const std::pair<std::string, std::string> v4{"cluster-cidr", "10.0.0.0/16"};
  EXPECT_TRUE(read({v4, {"cidr-allocator-type", "RangeAllocator"}}).errors.empty());
  for (const char* type : {"CloudAllocator", "IPAMFromCluster", "IPAMFromCloud"}) {
    expect_error({v4, {"cidr-allocator-type", type}}, "use RangeAllocator");
  }
  expect_error({v4, {"cidr-allocator-type", "rangeallocator"}}, "is not known");
}

TEST_F(SettingsTest, IPAM_1_OffMeansSkipped) {
  host.config.set_flag("allocate-node-cidrs", "false", false);
  host.config.set_flag("cluster-cidr", "", false);
  const Status status = setup();
  EXPECT_EQ(status.code(), Code::unimplemented);
  EXPECT_NE(status.message().find("--allocate-node-cidrs"), std::string::npos);
}

TEST_F(SettingsTest, AllFaultsAreToldAtOnce) {
  host.config.set_flag("cluster-cidr", "");
  host.config.set_flag("cidr-allocator-type", "CloudAllocator");
  host.config.set_flag("node-cidr-mask-size", "200");
  host.config.set_flag("service-cluster-ip-range", "10.0.0.0/20,10.0.16.0/20");
  const Status status = setup();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  for (const char* part : {"--cluster-cidr is empty", "--cidr-allocator-type=CloudAllocator",
                           "--node-cidr-mask-size=200", "--service-cluster-ip-range"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace ccm::ipam
