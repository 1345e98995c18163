// Thousands of Nodes are behind each of many load balancers, so one list of them is shared.
#include <ccm/load_balancer.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace ccm {
namespace {

using testing::FakeHost;

class BackendsTest : public ::testing::Test {
 protected:
  ~BackendsTest() override { EXPECT_TRUE(host.faults().empty()); }

  std::vector<Backend> nodes() {
    std::vector<Backend> made(2);
    made[0].name = "node-0";
    made[0].provider_id = "cloud://0";
    made[0].node = node_;
    made[1].name = "node-1";
    made[1].addresses = {{"InternalIP", "10.0.0.1"}, {"Hostname", "node-1"}};
    return made;
  }
  Backends read(const std::vector<Backend>& given) {
    const detail::BackendsC raw(given);  // each time from another place
    return lists.read(host.objects.service(), raw.data(), raw.size());
  }

  FakeHost host;
  detail::BackendLists lists;

 private:
  const Object node_ = host.objects.make(R"({"metadata":{"name":"node-0"}})");
};

TEST_F(BackendsTest, CopiesShareOneList) {
  EXPECT_TRUE(Backends().empty());
  EXPECT_EQ(Backends().begin(), Backends().end());
  const Backends list = nodes();
  const Backends copy = list;
  EXPECT_TRUE(copy.same(list));
  EXPECT_FALSE(list.same(nodes()));
  ASSERT_EQ(copy.size(), 2u);
  EXPECT_EQ(&copy[1], &list[1]);
  EXPECT_EQ(list.get()[1]->address_count, 2u);
  EXPECT_EQ(view(list.get()[1]->addresses[0].address), "10.0.0.1");
  EXPECT_EQ(list.get()[0]->node, list[0].node.get());
}

TEST_F(BackendsTest, AnEqualListIsTheSame) {
  const Backends first = read(nodes());
  EXPECT_TRUE(read(nodes()).same(first));
  EXPECT_TRUE(read({}).empty());  // a deletion has none
  EXPECT_TRUE(read(nodes()).same(first));
  EXPECT_EQ(first[0].node.name(), "node-0");
}

TEST_F(BackendsTest, AnotherListIsNotTakenForIt) {
  const std::vector<std::function<void(std::vector<Backend>&)>> changes{
      [](auto& list) { list.pop_back(); },
      [](auto& list) { list.push_back(list.front()); },
      [](auto& list) { std::swap(list[0], list[1]); },
      [](auto& list) { list[0].name = "node-9"; },
      [](auto& list) { list[0].provider_id = "cloud://9"; },
      [](auto& list) { list[0].node = Object(); },
      [this](auto& list) { list[0].node = host.objects.make(R"({"metadata":{}})"); },
      [](auto& list) { list[1].addresses[0].address = "10.0.0.9"; },
      [](auto& list) { list[1].addresses[0].type = "ExternalIP"; },
      [](auto& list) { list[1].addresses.pop_back(); },
  };
  for (const auto& change : changes) {
    const Backends before = read(nodes());
    std::vector<Backend> changed = nodes();
    change(changed);
    const Backends now = read(changed);
    EXPECT_FALSE(now.same(before));
    EXPECT_EQ(now.size(), changed.size());
    EXPECT_EQ(now[0].name, changed[0].name);
  }
}

TEST_F(BackendsTest, ListsAreReadOnSeveralThreads) {
  const std::vector<Backend> one = nodes();
  std::vector<Backend> other = one;
  other[1].name = "node-2";
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, odd = i % 2 != 0] {
      for (int turn = 0; turn < 500; ++turn) {
        EXPECT_EQ(read(odd ? other : one)[1].name, odd ? "node-2" : "node-1");
      }
    });
  }
}

// The arguments of the provider's methods.
struct Keeper {
  explicit Keeper(Host&) {}
  Result<LoadBalancer> ensure_load_balancer(const Ctx&, const LoadBalancerService&,
                                            Backends backends) {
    seen.push_back(std::move(backends));
    return LoadBalancer();
  }
  Status delete_load_balancer(const Ctx&, const LoadBalancerService&) { return {}; }
  static inline std::vector<Backends> seen;
};

TEST_F(BackendsTest, CallsOfAProviderShareThem) {
  testing::FakeComponent provider(host, testing::plugin_of<Keeper, testing::Dispatch::workers>(),
                                  "test");
  const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  for (int call = 0; call < 2; ++call) {
    const auto made = provider.finish(provider.start(
        "ensure", LoadBalancers::Apply{table, &ccm_cloud_loadbalancers::ensure, "ensure",
                                       provider.ctx(), LoadBalancerService(), nodes()}));
    EXPECT_TRUE(made.ok()) << made.status().message();
  }
  ASSERT_EQ(Keeper::seen.size(), 2u);
  EXPECT_TRUE(Keeper::seen[0].same(Keeper::seen[1]));
  Keeper::seen.clear();
}

}  // namespace
}  // namespace ccm
