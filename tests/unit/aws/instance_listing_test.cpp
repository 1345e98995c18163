#include "aws/nodes/instance_listing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::aws {
namespace {

Ec2Instance instance_of(const std::string& id) {
  Ec2Instance instance;
  instance.id = id;
  instance.type = "m5.large";
  instance.state = "running";
  instance.zone = "us-east-1a";
  instance.vpc_id = "vpc-1";
  instance.private_dns_name = id + ".internal";
  instance.security_groups = {"sg-1", "sg-2"};
  instance.tags = {{"kubernetes.io/cluster/c1", "owned"}, {"Name", id}};
  return instance;
}

TEST(AwsInstanceListingTest, EachFieldIsKept) {
  Ec2Instance given = instance_of("i-1");
  given.public_dns_name = std::string(300, 'p');
  given.public_address = "192.0.2.1";
  given.source_dest_check = false;
  NetworkCard primary{"eni-1", 0, true, {"10.0.0.1", "10.0.0.2"}, {}};
  NetworkCard other{"eni-2", -1, false, {}, {"2001:db8::1"}};
  given.cards = {primary, other};
  InstanceListing listing;
  listing.add(instance_of("i-0"));
  listing.add(given);
  listing.finish();

  const auto found = listing.find("i-1");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, "i-1");
  EXPECT_EQ(found->type, "m5.large");
  EXPECT_EQ(found->state, "running");
  EXPECT_EQ(found->zone, "us-east-1a");
  EXPECT_EQ(found->vpc_id, "vpc-1");
  EXPECT_EQ(found->private_dns_name, "i-1.internal");
  EXPECT_EQ(found->public_dns_name, given.public_dns_name);
  EXPECT_EQ(found->public_address, "192.0.2.1");
  EXPECT_FALSE(found->source_dest_check);
  EXPECT_EQ(found->security_groups, given.security_groups);
  EXPECT_EQ(found->tags, given.tags);
  ASSERT_EQ(found->cards.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found->cards[i].id, given.cards[i].id);
    EXPECT_EQ(found->cards[i].device_index, given.cards[i].device_index);
    EXPECT_EQ(found->cards[i].source_dest_check, given.cards[i].source_dest_check);
    EXPECT_EQ(found->cards[i].private_addresses, given.cards[i].private_addresses);
    EXPECT_EQ(found->cards[i].ipv6_addresses, given.cards[i].ipv6_addresses);
  }
}

// Pages may show one again that moved.
TEST(AwsInstanceListingTest, TheyAreInTheOrderOfIdsAndTheLastOfOneIdCounts) {
  InstanceListing listing;
  for (const char* id : {"i-3", "i-1", "i-2", "i-1"}) {
    Ec2Instance instance = instance_of(id);
    instance.private_dns_name = std::to_string(listing.size());
    listing.add(instance);
  }
  listing.finish();
  ASSERT_EQ(listing.size(), 3U);
  EXPECT_EQ(listing[0].id, "i-1");
  EXPECT_EQ(listing[0].private_dns_name, "3");
  EXPECT_EQ(listing[1].id, "i-2");
  EXPECT_EQ(listing[2].id, "i-3");
  EXPECT_FALSE(listing.find("i-"));
  EXPECT_FALSE(listing.find("i-11"));
  EXPECT_FALSE(listing.find("i-4"));
}

// A few words of thousands of instances are kept once; any number of them is right.
TEST(AwsInstanceListingTest, EachMayHaveWordsOfItsOwn) {
  InstanceListing listing;
  for (int i = 100; i < 300; ++i) {
    Ec2Instance instance = instance_of("i-" + std::to_string(i));
    instance.security_groups = {"sg-of-" + instance.id};
    listing.add(instance);
  }
  listing.finish();
  ASSERT_EQ(listing.size(), 200U);
  for (size_t i = 0; i < listing.size(); ++i) {
    const Ec2Instance instance = listing[i];
    EXPECT_EQ(instance.security_groups.at(0), "sg-of-" + instance.id);
    EXPECT_EQ(instance.zone, "us-east-1a");
  }
}

}  // namespace
}  // namespace ccm::aws
