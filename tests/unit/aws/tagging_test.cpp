// The controller "tagging" (AWS-5, AWS-127 to AWS-130).
#include "aws/digests/md5.hpp"
#include "aws/tagging/controller.hpp"
#include "provider_fixture.hpp"

#include <ccm/testing/fake_controller.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace ccm::aws {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kLabel = "k8s.io/cloud-provider-aws";
// The sum of "owner=me,team=a=b".
constexpr const char* kDigest = "a8e88e2271157a3fc9f5a941e80b3eb1";

constexpr auto kTaggingEntries =
    ccm::detail::entries_of(shared<Session>(), component<TestProvider, Session>("aws"),
                            component<TaggingController, Session>("tagging"));

const ccm_plugin* tagging_plugin() {
  static const ccm_plugin made = ccm::detail::PluginAdapter<kTaggingEntries>::plugin(
      testing::test_manifest(testing::Dispatch::loop));
  return &made;
}

class AwsTaggingTest : public AwsProviderTest {
 protected:
  AwsTaggingTest() {
    host.config.set_flag("tags", "team=a=b,owner=me");
    host.config.set_flag("resources", "instance");
    for (int number = 1; number <= 3; ++number) cloud.add_machine(number);
  }

  static std::string id(int number) { return "i-0000000000000000" + std::to_string(number); }
  // As the API server has it, an hour old.
  void join(const std::string& name, const std::string& provider_id, const std::string& label = {},
            const char* created = "2025-12-31T23:00:00Z") {
    json node = {
        {"metadata", {{"name", name}, {"uid", "uid-" + name}, {"creationTimestamp", created}}},
        {"spec", {{"providerID", provider_id}}}};
    if (!label.empty()) node["metadata"]["labels"] = {{kLabel, label}};
    host.kube.put("v1/nodes", node.dump());
  }
  void join(int number) { join("n" + std::to_string(number), "aws:///us-east-1a/" + id(number)); }
  std::string label(const std::string& node) {
    const json stored = json::parse(host.kube.stored("v1/nodes", node));
    return stored["metadata"].value("labels", json::object()).value(kLabel, "");
  }
  aws_api::Tags tags(int number) {
    aws_api::Tags tags = cloud.machine(id(number))->tags;
    tags.erase("kubernetes.io/cluster/c1");
    return tags;
  }

  Status set_up() {
    EXPECT_TRUE(plugin.opened().ok());
    provider_of_it.emplace(plugin, "aws");
    EXPECT_TRUE(provider_of_it->initialize().ok());
    cloud.clear_journal();
    controller.emplace(plugin, "tagging");
    return controller->setup();
  }
  void run() {
    const Status status = set_up();
    ASSERT_TRUE(status.ok()) << status.message();
    pass(seconds(1));
  }
  void pass(milliseconds time) { controller->advance(time); }

  const aws_api::Tags kWanted{{"owner", "me"}, {"team", "a=b"}};
  testing::FakePlugin plugin{host, tagging_plugin()};
  std::optional<testing::FakeComponent> provider_of_it;
  std::optional<testing::FakeController> controller;
};

TEST(AwsMd5Test, AWS_127_AsRfc1321SaysInItsSuite) {
  EXPECT_EQ(md5_hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(md5_hex("1234567890123456789012345678901234567890123456789012345678901234567890123456"
                    "7890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(AwsMd5Test, AWS_127_PairsAreSortedWhole) {
  EXPECT_EQ(digest_of({{"a", "1"}, {"a-b", "2"}}), md5_hex("a-b=2,a=1"));
}

TEST_F(AwsTaggingTest, AWS_127_InstancesOfNodesGetTheTagsAndNodesTheLabel) {
  for (int number = 1; number <= 3; ++number) join(number);
  run();
  for (int number = 1; number <= 3; ++number) {
    EXPECT_EQ(tags(number), kWanted);
    EXPECT_EQ(label("n" + std::to_string(number)), kDigest);
  }
  EXPECT_EQ(cloud.calls("CreateTags"), 1U) << "one call for all";
  EXPECT_EQ(cloud.calls(), 2U) << "a look-up, and it";
  host.kube.resync();
  pass(minutes(60));
  EXPECT_EQ(cloud.calls(), 2U) << "a Node with the label costs nothing";
}

TEST_F(AwsTaggingTest, AWS_127_ANodeOfTheGoManagerIsLeftAloneUntilTheTagsChange) {
  join("n1", "aws:///us-east-1a/" + id(1), kDigest);
  join("n2", "aws:///us-east-1a/" + id(2), md5_hex("owner=you"));
  run();
  EXPECT_TRUE(tags(1).empty());
  EXPECT_EQ(tags(2), kWanted);
}

TEST_F(AwsTaggingTest, AWS_127_ADeletedNodeLosesTheTagsThatAreAsTheyWere) {
  join(1);
  join(2);
  run();
  cloud.machine(id(1))->tags["owner"] = "somebody else";
  host.kube.remove("v1/nodes", "n1");
  pass(seconds(1));
  EXPECT_EQ(tags(1), (aws_api::Tags{{"owner", "somebody else"}}));
  EXPECT_EQ(tags(2), kWanted);
}

TEST_F(AwsTaggingTest, AWS_127_AnInstanceThatAnotherNodeHasKeepsThem) {
  join(1);
  join("again", "aws:///us-east-1b/" + id(1));
  run();
  host.kube.remove("v1/nodes", "again");
  pass(seconds(1));
  EXPECT_EQ(cloud.calls("DeleteTags"), 0U);
  EXPECT_EQ(tags(1), kWanted);
}

TEST_F(AwsTaggingTest, AWS_127_AStandbyTakesNothingAway) {
  join(1);
  run();
  host.leader.change(false);
  host.kube.remove("v1/nodes", "n1");
  pass(seconds(1));
  EXPECT_EQ(cloud.calls("DeleteTags"), 0U);
}

// A provider ID is the kubelet's word.
TEST_F(AwsTaggingTest, AWS_43_117_WhatIsNotTheClustersIsNeverTagged) {
  cloud.machine(id(1))->tags = {{"kubernetes.io/cluster/c2", "owned"}};
  cloud.machine(id(2))->vpc = "vpc-2";
  for (int number = 1; number <= 3; ++number) join(number);
  run();
  EXPECT_EQ(cloud.machine(id(1))->tags.size(), 1U);
  EXPECT_TRUE(tags(2).empty());
  EXPECT_EQ(tags(3), kWanted);
  ASSERT_EQ(host.events.all().size(), 2U);
  EXPECT_EQ(host.events.all()[0].reason, "InstanceNotOfCluster");
  EXPECT_EQ(host.events.all()[0].message,
            "No tags: instance " + id(1) +
                " has no tag kubernetes.io/cluster/c1 in vpc-1, so it is left alone");
  // Its tag came later.
  cloud.machine(id(1))->tags["kubernetes.io/cluster/c1"] = "owned";
  pass(minutes(11));
  EXPECT_EQ(cloud.machine(id(1))->tags.size(), 4U);
  host.kube.remove("v1/nodes", "n2");
  pass(seconds(1));
  EXPECT_EQ(cloud.calls("DeleteTags"), 0U);
}

TEST_F(AwsTaggingTest, AWS_128_AYoungNodesInstanceMayBeUnknownYet) {
  const std::string provider_id = "aws:///us-east-1a/" + id(4);
  join("young", provider_id, {}, "2026-01-01T00:16:00Z");
  join("old", "aws:///us-east-1a/" + id(5));
  run();
  EXPECT_EQ(controller->waiting(), std::vector<std::string>{"young"});
  cloud.add_machine(4);
  pass(minutes(1));
  EXPECT_EQ(tags(4), kWanted);
  EXPECT_TRUE(controller->waiting().empty());
}

TEST_F(AwsTaggingTest, AWS_128_WhatNamesNoInstanceIsLeftAlone) {
  join("fargate", "aws:///us-east-1a/fargate-10.0.0.9");
  join("odd", "aws:///us-east-1a/i-love-clouds");
  join("bare", "");
  run();
  EXPECT_EQ(cloud.calls(), 0U);
  EXPECT_TRUE(controller->take_reconciled().empty());
}

// It is in the listing still, and gone when the tags are written.
TEST_F(AwsTaggingTest, AWS_129_OneThatVanishesKeepsNoOtherFromItsTags) {
  for (int number = 1; number <= 3; ++number) join(number);
  ASSERT_TRUE(set_up().ok());
  ASSERT_TRUE(provider_of_it->list().ok());
  cloud.machines.erase(cloud.machines.begin() + 1);
  pass(seconds(1));
  EXPECT_EQ(tags(1), kWanted);
  EXPECT_EQ(tags(3), kWanted);
  EXPECT_EQ(label("n2"), "");
}

// One instance with 50 tags, or one that the credential may not tag, is refused for all of a call.
TEST_F(AwsTaggingTest, AWS_129_OneThatIsRefusedKeepsNoOtherFromItsTags) {
  for (int number = 1; number <= 3; ++number) join(number);
  // All three, then the first alone.
  cloud.faults.push_back({"CreateTags", 2, 400, "TagLimitExceeded", "50 tags already"});
  run();
  EXPECT_TRUE(tags(1).empty());
  EXPECT_EQ(tags(2), kWanted);
  EXPECT_EQ(tags(3), kWanted);
}

// A kubelet that registers over and over would spend the account's writes.
TEST_F(AwsTaggingTest, AWS_127_ANodeThatNeverHadOurLabelCostsNothingWhenItGoes) {
  run();
  join(1);
  host.kube.remove("v1/nodes", "n1");
  pass(seconds(1));
  EXPECT_EQ(cloud.calls("DeleteTags"), 0U);
}

TEST_F(AwsTaggingTest, AWS_130_TheRateNeedsBothNumbers) {
  host.config.set_flag("tagging-controller-rate-limit", "0.5");
  for (int number = 1; number <= 3; ++number) join(number);
  run();
  EXPECT_EQ(cloud.calls("CreateTags"), 1U);
  for (int number = 1; number <= 3; ++number)
    host.kube.remove("v1/nodes", "n" + std::to_string(number));
  pass(seconds(1));
  host.config.set_flag("tagging-controller-burst-limit", "1");
  controller.reset();
  controller.emplace(plugin, "tagging");
  ASSERT_TRUE(controller->setup().ok());
  for (int number = 1; number <= 3; ++number) join(number);
  for (const size_t tagged : {2U, 3U, 4U}) {
    pass(milliseconds(1'500));
    EXPECT_EQ(cloud.calls("CreateTags"), tagged);
  }
}

TEST_F(AwsTaggingTest, AWS_130_ANodeKeepsItsTurnHoweverOftenItChanges) {
  host.config.set_flag("tagging-controller-rate-limit", "0.5");
  host.config.set_flag("tagging-controller-burst-limit", "1");
  run();
  join(1);
  join(2);
  for (const char* zone : {"b", "c", "d"}) {
    join("n2", std::string("aws:///us-east-1") + zone + "/" + id(2));
  }
  join(3);
  for (const size_t tagged : {1U, 2U, 3U}) {
    pass(milliseconds(1'500));
    EXPECT_EQ(cloud.calls("CreateTags"), tagged);
  }
}

TEST_F(AwsTaggingTest, AWS_127_AnInstanceIsItsNodesAsLongAsOneNamesIt) {
  join(1);
  join("again", "aws:///us-east-1b/" + id(2));
  run();
  join("again", "aws:///us-east-1b/" + id(1));  // the Node was made again
  pass(seconds(1));
  host.kube.remove("v1/nodes", "n1");
  pass(seconds(1));
  EXPECT_EQ(cloud.calls("DeleteTags"), 0U);
  host.kube.remove("v1/nodes", "again");
  pass(seconds(1));
  EXPECT_EQ(cloud.calls("DeleteTags"), 1U);
  EXPECT_EQ(tags(1), aws_api::Tags());
}

// The other Node has the label already, so nothing else would write the tags.
TEST_F(AwsTaggingTest, AWS_127_ANodeThatComesWhileTheTagsGoHasThemInTheEnd) {
  join(1);
  run();
  cloud.faults.push_back({"CreateTags", 3, 500, "InternalError", "Try again."});
  other = [this](const HttpRequest& request) -> std::optional<testing::FakeHttp::Answer> {
    if (request.body.find("Action=DeleteTags") == std::string::npos) return std::nullopt;
    join("again", "aws:///us-east-1a/" + id(1), kDigest);
    testing::FakeHttp::Answer answer = text(200, cloud.handle(request.body).body);
    answer.delay = milliseconds(100);
    return answer;
  };
  host.kube.remove("v1/nodes", "n1");
  pass(seconds(1));
  EXPECT_EQ(cloud.calls("DeleteTags"), 1U);
  pass(minutes(60));
  EXPECT_EQ(tags(1), kWanted);
  other = nullptr;
}

TEST_F(AwsTaggingTest, AWS_36_AThrottledCallIsMadeAgain) {
  join(1);
  cloud.faults.push_back({"CreateTags", 4, 503, "RequestLimitExceeded", "Slow down."});
  run();
  pass(minutes(5));
  EXPECT_EQ(tags(1), kWanted);
}

TEST_F(AwsTaggingTest, AWS_5_FlagsThatCannotWorkAreRefused) {
  const auto refusal_of = [this](const std::string& flag, const std::string& value,
                                 const std::string& good) {
    host.config.set_flag(flag, value);
    controller.reset();
    provider_of_it.reset();
    const Status status = set_up();
    host.config.set_flag(flag, good);
    EXPECT_EQ(status.code(), Code::invalid_argument);
    return status.message();
  };
  EXPECT_EQ(refusal_of("resources", "", "instance"), "--resources must not be empty");
  EXPECT_EQ(refusal_of("tagging-controller-rate-limit", "fast", "0"),
            "--tagging-controller-rate-limit must be a number of 0 or more");
  EXPECT_EQ(refusal_of("tags", "", ""), "--tags must not be empty and must be a form of key=value");
  EXPECT_EQ(refusal_of("tags", "a", ""), "--tags \"a\" must be formatted as key=value");
  EXPECT_EQ(refusal_of("tags", "=a", ""), "--tags \"\" has no key of 1 to 128 bytes");
  EXPECT_EQ(refusal_of("tags", "aws:a=b", ""), "--tags \"aws:a\" is AWS's own");
  EXPECT_EQ(refusal_of("tags", "kubernetes.io/cluster/c1=owned", ""),
            "--tags \"kubernetes.io/cluster/c1\" says whose an instance is");
}

}  // namespace
}  // namespace ccm::aws
