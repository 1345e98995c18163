// Ten thousand Services cost what they must and nothing else.
#include "service_fixture.hpp"

#include <algorithm>
#include <cstddef>

namespace ccm::service {
namespace {

#ifndef CCM_SERVICES
#define CCM_SERVICES 10'000
#endif
constexpr int kServices = CCM_SERVICES;
constexpr int kNodes = 3;
// So many come at a time: the fake's queue looks at all waiting keys for each turn.
constexpr int kBatch = 200;
constexpr auto kEach = static_cast<std::size_t>(kServices);

class TenThousandTest : public ServiceTest {
 protected:
  // No audits: their keys would wait in that queue, too.
  TenThousandTest() {
    host.config.set_flag("load-balancer-audit-period", "0s", true);
    host.config.set_flag("concurrent-service-syncs", "1", true);
  }

  // Names of one length, so that the fake's queue has them in the order in which they came.
  static std::string name_of(int i) { return "s" + std::to_string(kServices + i); }

  void ensure_all() {
    put_nodes(kNodes);
    start();
    in_batches([this](const std::string& name) { put(balanced(name)); });
  }
  void delete_all() {
    in_batches([this](const std::string& name) { mark_deleted(name); });
  }
  template <typename Change>
  void in_batches(Change change) {
    for (int i = 0; i < kServices; ++i) {
      change(name_of(i));
      if ((i + 1) % kBatch == 0) run();
    }
  }
  // Nothing said, asked or written is left over from what went before.
  void forget() {
    take_cloud();
    take_writes();
    take_events();
  }
  [[nodiscard]] std::size_t backends_differ(std::size_t wanted) const {
    const auto& all = host.load_balancers.balancers;
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& entry) {
      return entry.second.backends.size() != wanted;
    }));
  }
  [[nodiscard]] static std::size_t others(const Texts& operations, const std::string& wanted) {
    return operations.size() -
           static_cast<std::size_t>(std::count(operations.begin(), operations.end(), wanted));
  }
};

TEST_F(TenThousandTest, AllAreMadeAndKeptAndTakenAway) {
  ensure_all();
  ASSERT_EQ(host.load_balancers.balancers.size(), kEach);
  EXPECT_EQ(host.load_balancers.writes(), kServices);
  EXPECT_EQ(backends_differ(kNodes), 0U);
  const Texts made = take_cloud();
  EXPECT_EQ(made.size(), kEach);
  EXPECT_EQ(others(made, "ensure"), 0U);
  EXPECT_EQ(take_writes().size(), 2 * kEach);  // the finalizer, and the address
  for (int i = 0; i < kServices; ++i) {
    ASSERT_FALSE(address(name_of(i)).empty()) << name_of(i);
  }

  forget();
  host.kube.resync();
  advance(seconds(10));
  EXPECT_TRUE(take_cloud().empty());  // not even asked
  EXPECT_TRUE(take_writes().empty());
  EXPECT_TRUE(take_events().empty());
  EXPECT_EQ(host.load_balancers.writes(), kServices);

  host.kube.remove("v1/nodes", "node-1");
  advance(seconds(2));
  const Texts updated = take_cloud();
  EXPECT_EQ(updated.size(), kEach);
  EXPECT_EQ(others(updated, "update_backends"), 0U);
  EXPECT_EQ(host.load_balancers.writes(), 2 * kServices);
  EXPECT_EQ(backends_differ(kNodes - 1), 0U);
  EXPECT_TRUE(take_writes().empty());

  delete_all();
  const Texts removed = take_cloud();
  EXPECT_EQ(removed.size(), kEach);
  EXPECT_EQ(others(removed, "remove"), 0U);
  EXPECT_TRUE(host.load_balancers.balancers.empty());
  for (int i = 0; i < kServices; ++i) ASSERT_FALSE(exists(name_of(i))) << name_of(i);
  EXPECT_TRUE(controller->waiting().empty());
}

}  // namespace
}  // namespace ccm::service
