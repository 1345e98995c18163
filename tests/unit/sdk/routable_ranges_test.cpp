// The Pod ranges to which routes may lead.
#include <ccm/routable_ranges.hpp>

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace ccm {
namespace {

using Flags = std::map<std::string, std::string, std::less<>>;

RoutableRanges ranges_of(const Flags& flags) {
  return RoutableRanges::of_flags([&](std::string_view name) -> std::optional<std::string> {
    const auto found = flags.find(name);
    if (found == flags.end()) return std::nullopt;
    return found->second;
  });
}

// The reason; "" = a route may lead there.
std::string reason(const RoutableRanges& ranges, const char* range) {
  const auto refusal = ranges.refusal(*parse_cidr(range));
  return refusal ? std::string(refusal->reason) : "";
}

TEST(RoutableRangesTest, WithinTheClusterOnly) {
  const RoutableRanges ranges = ranges_of({{"cluster-cidr", "10.244.0.0/16,fd00:10::/48"}});
  EXPECT_EQ(reason(ranges, "10.244.7.0/24"), "");
  EXPECT_EQ(reason(ranges, "10.244.0.0/16"), "");
  EXPECT_EQ(reason(ranges, "fd00:10:0:7::/64"), "");
  EXPECT_EQ(reason(ranges, "10.245.0.0/24"), kRangeOutside);
  EXPECT_EQ(reason(ranges, "10.0.0.0/8"), kRangeOutside);
  EXPECT_EQ(reason(ranges, "fd00:11::/64"), kRangeOutside);
  const auto refusal = ranges.refusal(*parse_cidr("10.245.0.0/24"));
  EXPECT_TRUE(refusal->tolerable);
  EXPECT_EQ(refusal->message,
            "is outside of --cluster-cidr=10.244.0.0/16,fd00:10::/48. If it is right, add it to "
            "--cluster-cidr, or a range around it to --additional-pod-cidrs");
}

TEST(RoutableRangesTest, AdditionalOnesToo) {
  const RoutableRanges ranges =
      ranges_of({{"cluster-cidr", "10.244.0.0/16"},
                 {"additional-pod-cidrs", "10.9.0.0/16,fd00:9::/48,nonsense"},
                 {"node-cidr-mask-size-ipv4", "24"}});
  EXPECT_EQ(reason(ranges, "10.9.3.0/24"), "");
  EXPECT_EQ(reason(ranges, "10.9.0.0/16"), "") << "the mask size is of --cluster-cidr";
  EXPECT_EQ(reason(ranges, "fd00:9::/64"), "");
  EXPECT_EQ(reason(ranges, "10.8.0.0/15"), kRangeOutside);
}

TEST(RoutableRangesTest, NothingWithoutFlags) {
  EXPECT_EQ(reason(ranges_of({}), "10.244.7.0/24"), kRangeOutside);
  EXPECT_NE(ranges_of({}).refusal(*parse_cidr("10.244.7.0/24"))->message.find("is not given"),
            std::string::npos);
  EXPECT_EQ(reason(RoutableRanges(), "10.244.7.0/24"), kRangeOutside);
}

// Even if the flags say so.
TEST(RoutableRangesTest, Issue37_2_NeverWhereNoNetworkRoutes) {
  const RoutableRanges ranges = ranges_of({{"cluster-cidr", "0.0.0.0/0,::/0"}});
  for (const char* range :
       {"0.0.0.0/0", "::/0", "169.254.169.254/32", "169.254.0.0/16", "128.0.0.0/1", "127.0.0.1/32",
        "224.0.0.0/24", "255.255.255.255/32", "0.0.0.0/32", "fe80::/64", "fe00::/7", "::1/128",
        "::/64", "::ffff:10.0.0.0/104", "ff02::1/128"}) {
    EXPECT_EQ(reason(ranges, range), kRangeOutside) << range;
    EXPECT_FALSE(ranges.refusal(*parse_cidr(range))->tolerable) << range;
  }
  EXPECT_EQ(reason(ranges, "10.0.0.0/24"), "");
  EXPECT_EQ(reason(ranges, "240.0.0.0/24"), "");
  EXPECT_EQ(reason(ranges, "2001:db8::/64"), "");
}

TEST(RoutableRangesTest, Issue37_2_NeverWhereNodesOrServicesLive) {
  RoutableRanges ranges =
      ranges_of({{"cluster-cidr", "10.0.0.0/8"}, {"service-cluster-ip-range", "10.96.0.0/12"}});
  ranges.keep_off(*parse_cidr("10.10.0.5/32"), "Node node-1");
  EXPECT_EQ(reason(ranges, "10.10.0.0/24"), kRangeConflict);
  EXPECT_EQ(reason(ranges, "10.10.0.5/32"), kRangeConflict);
  EXPECT_EQ(reason(ranges, "10.100.0.0/24"), kRangeConflict) << "within";
  EXPECT_EQ(reason(ranges, "10.64.0.0/10"), kRangeConflict) << "around";
  EXPECT_EQ(reason(ranges, "10.10.1.0/24"), "");
  const auto refusal = ranges.refusal(*parse_cidr("10.10.0.0/24"));
  EXPECT_EQ(refusal->message, "holds addresses of Node node-1");
  EXPECT_FALSE(refusal->tolerable);
}

TEST(RoutableRangesTest, Issue37_4_NoNodeHasMoreThanItsShare) {
  const auto widest = [](const Flags& flags, const char* range) {
    Flags all = flags;
    all["cluster-cidr"] = "10.244.0.0/16";
    return reason(ranges_of(all), range);
  };
  EXPECT_EQ(widest({}, "10.244.0.0/16"), "") << "nobody says how wide a Node's range is";
  EXPECT_EQ(widest({{"node-cidr-mask-size", "0"}}, "10.244.0.0/16"), "");
  EXPECT_EQ(widest({{"node-cidr-mask-size", "24"}}, "10.244.0.0/23"), kRangeTooWide);
  EXPECT_EQ(widest({{"node-cidr-mask-size", "24"}}, "10.244.0.0/24"), "");
  EXPECT_EQ(widest({{"node-cidr-mask-size-ipv4", "22"}}, "10.244.0.0/22"), "");
  EXPECT_EQ(widest({{"node-cidr-mask-size-ipv4", "22"}}, "10.244.0.0/21"), kRangeTooWide);
  const Flags ipam{{"allocate-node-cidrs", "true"}, {"controllers", "[*,node-ipam-controller]"}};
  EXPECT_EQ(widest(ipam, "10.244.0.0/23"), kRangeTooWide);
  EXPECT_EQ(widest({{"allocate-node-cidrs", "true"}, {"controllers", "nodeipam"}}, "10.244.0.0/23"),
            kRangeTooWide);
  EXPECT_EQ(widest({{"allocate-node-cidrs", "true"}, {"controllers", "[*]"}}, "10.244.0.0/23"), "")
      << "another program allocates";
  EXPECT_EQ(widest({{"allocate-node-cidrs", "true"}, {"controllers", "[*,-node-ipam-controller]"}},
                   "10.244.0.0/23"),
            "");
  EXPECT_TRUE(ranges_of({{"cluster-cidr", "10.0.0.0/8"}, {"node-cidr-mask-size", "24"}})
                  .refusal(*parse_cidr("10.0.0.0/9"))
                  ->tolerable);
}

}  // namespace
}  // namespace ccm
