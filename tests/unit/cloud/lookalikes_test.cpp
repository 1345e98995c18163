// The help for a Node under whose name the cloud has no instance.
#include "broker_fixture.hpp"

namespace ccm::cloud {
namespace {

class LookalikesTest : public BrokerTest {
 protected:
  // `status`: the Node's, and its annotation of the kubelet's --node-ip.
  std::string help(const std::string& name, const std::string& addresses = "[]",
                   const std::string& node_ip = "") {
    InstanceQuery query;
    query.name = name;
    query.node =
        *kube::Object::decode(R"({"metadata":{"name":")" + name +
                              R"(","annotations":{"alpha.kubernetes.io/provided-node-ip":")" +
                              node_ip + R"("}},"status":{"addresses":)" + addresses + "}}");
    return broker_->absence_text(query);
  }
};

const std::string kAdvice =
    ": start the kubelet with --hostname-override or --provider-id of that instance, or rename it";

TEST_F(LookalikesTest, ISSUE_38_5_TheNameThatWasLookedForIsTold) {
  make();
  EXPECT_EQ(help("a"), R"(no instance is called "a")") << "before any listing";
  listed({{"b", "cloud://b"}});
  EXPECT_EQ(help("a"), R"(no instance is called "a")");
  InstanceQuery query;
  query.name = "a";
  query.provider_id = "cloud://a";
  EXPECT_EQ(broker_->absence_text(query), "no instance has the provider ID cloud://a");
}

TEST_F(LookalikesTest, ISSUE_38_5_TheInstanceWithTheNodesAddressIsNamed) {
  make();
  listed({{"x", "cloud://1", CCM_INSTANCE_RUNNING, {"10.0.0.4", "fd00::4"}},
          {"a.b", "cloud://2", CCM_INSTANCE_RUNNING, {"10.0.0.5"}}});
  const std::string four =
      R"(no instance is called "a-b", but instance "x" (cloud://1) has its address )";
  EXPECT_EQ(help("a-b", R"([{"type":"Hostname","address":"a"},)"
                        R"({"type":"InternalIP","address":"10.0.0.4"}])"),
            four + "10.0.0.4" + kAdvice)
      << "an address says more than a name";
  EXPECT_EQ(help("a-b", "[]", "fd00::4"), four + "fd00::4" + kAdvice);
  EXPECT_EQ(help("a-b", R"([{"type":"Hostname","address":"10.0.0.4"}])"),
            R"(no instance is called "a-b", but instance "a.b" (cloud://2) has nearly its name)" +
                kAdvice);
}

// capo#1547, occm#2062: kubelets whose host name is not quite the server's name.
TEST_F(LookalikesTest, ISSUE_38_5_TheInstanceWithTheShortNameIsNamed) {
  make();
  listed({{"md-0-v1.26.4", "cloud://1"},
          {"cp-0", "cloud://2"},
          {"Web.example.com", "cloud://3"},
          {"db.east", "cloud://4"},
          {"db.west", "cloud://5"}});
  const std::pair<const char*, const char*> resembling[] = {
      {"md-0-v1-26-4", "md-0-v1.26.4"}, {"cp-0.novalocal", "cp-0"}, {"web", "Web.example.com"}};
  for (const auto& [node, instance] : resembling) {
    EXPECT_NE(help(node).find("but instance \"" + std::string(instance) + "\" ("),
              std::string::npos)
        << help(node);
  }
  EXPECT_EQ(help("db"), R"(no instance is called "db")") << "which of the two?";
  EXPECT_EQ(source_.listed, 1u);
  EXPECT_TRUE(source_.got.empty()) << "help costs no call";
  timers_.advance(10s);
  tasks_(broker_->refresh(), [](const auto&) {});
  source_.end_list({{"cp-1", "cloud://9"}});
  EXPECT_EQ(help("cp-0.novalocal"), R"(no instance is called "cp-0.novalocal")")
      << "of the last listing";
}

}  // namespace
}  // namespace ccm::cloud
