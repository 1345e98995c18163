#include "provider_fixture.hpp"

namespace ccm::static_provider {
namespace {

std::string nodes(const std::string& more = "") {
  return "nodes:\n"
         "  - {name: a, addresses: [{type: InternalIP, address: 192.0.2.1}]}\n"
         "  - {name: b, addresses: [{type: InternalIP, address: 192.0.2.2}]}\n" +
         more;
}
constexpr const char* kPools = "addressPools: [{name: p, addresses: [198.51.100.0/28]}]\n";

std::string names_of(const Result<InstanceList>& list) {
  if (!list.ok()) return list.status().message();
  std::string names;
  for (const Instance& instance : list->instances) names += instance.name;
  return names;
}

class StaticProviderTest : public ProviderTest {};

TEST_F(StaticProviderTest, ListsTheMachinesOfTheFile) {
  log_in(nodes());
  EXPECT_EQ(names_of(provider.list()), "ab");
  EXPECT_TRUE(provider.list()->complete);
}

TEST_F(StaticProviderTest, AWrongFileEndsTheStartWithOneSentence) {
  EXPECT_NE(provider.initialize().message().find("--cloud-config: must name a file"),
            std::string::npos);
  host.config.set_cloud_config("nodes: [{}]");
  const Status status = provider.initialize();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_EQ(status.message(), "--cloud-config: nodes[0].name: missing");
  log_in(nodes());
  EXPECT_EQ(names_of(provider.list()), "ab");
}

TEST_F(StaticProviderTest, AChangeIsTakenAndTheHostIsToldWhereToLook) {
  log_in(nodes());
  change(
      "nodes:\n"
      "  - {name: a, addresses: [{type: InternalIP, address: 192.0.2.1}]}\n"
      "  - {name: c, addresses: [{type: InternalIP, address: 192.0.2.3}]}\n");
  EXPECT_EQ(names_of(provider.list()), "ac");
  std::vector<std::string> ids;
  for (const auto& hint : host.hints.all()) ids.push_back(hint.provider_id);
  EXPECT_EQ(ids, (std::vector<std::string>{"static://c", "static://b"}));
}

TEST_F(StaticProviderTest, AWrongChangeLeavesTheOldFileInForceAndSaysSo) {
  log_in(nodes());
  change("nodes: [{name: a}]");
  EXPECT_EQ(names_of(provider.list()), "ab");
  EXPECT_EQ(host.config.rejection().value_or(""),
            "nodes[0].addresses: missing; a Node waits for its addresses");
  change(nodes("  - {name: c, addresses: [{type: InternalIP, address: 192.0.2.3}]}\n"));
  EXPECT_EQ(names_of(provider.list()), "abc");
  EXPECT_FALSE(host.config.rejection());
}

// An empty list would say that every machine is gone.
TEST_F(StaticProviderTest, AFileCannotTakeAwayWhatTheManagerBeganWith) {
  log_in(nodes());
  change(kPools);
  EXPECT_EQ(names_of(provider.list()), "ab");
  EXPECT_EQ(host.config.rejection().value_or(""),
            "addressPools: only a restart of the manager can add or remove it");
  change("nodes:\n");
  EXPECT_EQ(names_of(provider.list()), "ab");
}

TEST_F(StaticProviderTest, OffersWhatTheFileHas) {
  log_in(kPools);
  EXPECT_FALSE(provider.interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES));
  EXPECT_TRUE(provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS));
  EXPECT_FALSE(provider.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES));
}

TEST_F(StaticProviderTest, WithoutPoolsThereAreNoLoadBalancers) {
  log_in(nodes());
  EXPECT_TRUE(provider.interface<ccm_cloud_instances>(CCM_CLOUD_INSTANCES));
  EXPECT_FALSE(provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS));
}

}  // namespace
}  // namespace ccm::static_provider
