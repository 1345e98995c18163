#include "cloud/broker/instance_snapshot.hpp"

#include <ccm/instances.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ccm::cloud {
namespace {

TEST(InstanceSnapshotTest, FiveThousandInstancesTakeLittleMemory) {
  std::vector<std::string> texts;
  std::vector<ccm_instance> instances(5000);
  std::vector<std::vector<ccm_node_address>> addresses(5000);
  texts.reserve(5000 * 4);
  const auto keep = [&](std::string text) {
    texts.push_back(std::move(text));
    return c_str(texts.back());
  };
  const ccm_key_value label{c_str("example.com/pool"), c_str("workers")};
  std::vector<const ccm_instance*> pointers;
  for (std::size_t index = 0; index < instances.size(); ++index) {
    const std::string number = std::to_string(100000 + index);
    addresses[index] = {{c_str("Hostname"), keep("worker-pool-a-" + number)},
                        {c_str("InternalIP"), keep("10.128." + number)},
                        {c_str("ExternalIP"), keep("203.0.113." + number)}};
    instances[index] = {sizeof(ccm_instance),
                        CCM_INSTANCE_RUNNING,
                        keep("digitalocean://" + number),
                        addresses[index][0].address,
                        c_str("s-4vcpu-8gb"),
                        c_str(""),
                        c_str("fra1"),
                        addresses[index].data(),
                        addresses[index].size(),
                        &label,
                        1};
    pointers.push_back(&instances[index]);
  }
  auto list = sized<ccm_instance_list>();
  list.instances = pointers.data();
  list.count = pointers.size();
  const std::size_t before = ::mallinfo2().uordblks;
  const auto copied = InstanceSnapshot::copy(&list);
  const std::size_t memory = ::mallinfo2().uordblks - before;  // 0 under a sanitizer
  ASSERT_TRUE(copied.ok());
  const auto& snapshot = *copied;
  EXPECT_LT(memory, 2u << 20);
  texts.clear();
  const std::size_t index = snapshot->find_provider_id("digitalocean://104999");
  ASSERT_NE(index, InstanceSnapshot::kNone);
  InstanceExport exported;
  exported.add(snapshot, index);
  const ccm_instance& machine = *exported.list().instances[0];
  EXPECT_EQ(view(machine.name), "worker-pool-a-104999");
  EXPECT_EQ(view(machine.instance_type), "s-4vcpu-8gb");
  EXPECT_EQ(view(machine.zone), "");
  ASSERT_EQ(machine.address_count, 3u);
  EXPECT_EQ(view(machine.addresses[2].type), "ExternalIP");
  EXPECT_EQ(view(machine.addresses[2].address), "203.0.113.104999");
  EXPECT_EQ(view(machine.labels[0].value), "workers");
}

TEST(InstanceSnapshotTest, MalformedListsAreRefused) {
  EXPECT_FALSE(InstanceSnapshot::copy(static_cast<const ccm_instance_list*>(nullptr)).ok());
  EXPECT_FALSE(InstanceSnapshot::copy(static_cast<const ccm_instance*>(nullptr)).ok());
  ccm_instance shorter{};
  shorter.size = offsetof(ccm_instance, provider_id);
  EXPECT_FALSE(InstanceSnapshot::copy(&shorter).ok());
  auto promised = sized<ccm_instance_list>();
  promised.count = 3;
  EXPECT_FALSE(InstanceSnapshot::copy(&promised).ok());
}

InstanceSnapshot::Ptr listing_with(const std::vector<Instance>& instances) {
  const detail::InstanceListC raw(instances);
  auto copied = InstanceSnapshot::copy(raw.list());
  return copied.ok() ? *copied : nullptr;
}

Instance known_as(const std::string& id, std::vector<std::string> others) {
  Instance instance;
  instance.state = InstanceState::running;
  instance.provider_id = id;
  instance.other_ids = std::move(others);
  return instance;
}

// Two spellings were two instances, so a kubelet got what is another Node's.
TEST(InstanceSnapshotTest, Issue37_AnInstanceIsFoundUnderEachOfItsIdsAndHasOne) {
  const auto listing = listing_with({known_as("cloud://z/1", {"cloud:///1"}),
                                     known_as("cloud://z/2", {"cloud:///2", "", "cloud://z/2"})});
  ASSERT_NE(listing, nullptr);
  EXPECT_TRUE(listing->complete());
  for (const char* id : {"cloud://z/2", "cloud:///2"}) {
    const std::size_t index = listing->find_provider_id(id);
    ASSERT_NE(index, InstanceSnapshot::kNone) << id;
    EXPECT_EQ(listing->provider_id(index), "cloud://z/2");
    EXPECT_EQ(listing->other_id_count(index), 1U);
    InstanceExport exported;
    exported.add(listing, index);
    const Instance given = Instance::from_c(*exported.list().instances[0]);
    EXPECT_EQ(given.provider_id, "cloud://z/2");
    EXPECT_EQ(given.other_ids, std::vector<std::string>{"cloud:///2"});
  }
  EXPECT_EQ(listing->find_provider_id("cloud:///3"), InstanceSnapshot::kNone);
  EXPECT_EQ(listing->find_provider_id(""), InstanceSnapshot::kNone);
}

TEST(InstanceSnapshotTest, Issue37_AnIdOfTwoInstancesMakesTheListingAFailure) {
  EXPECT_EQ(
      listing_with({known_as("cloud://1", {"cloud://x"}), known_as("cloud://2", {"cloud://x"})}),
      nullptr);
  EXPECT_EQ(listing_with({known_as("cloud://1", {}), known_as("cloud://2", {"cloud://1"})}),
            nullptr);
  // One that moved to another page while it was listed.
  const auto moved =
      listing_with({known_as("cloud://1", {"cloud://x"}), known_as("cloud://1", {"cloud://x"})});
  ASSERT_NE(moved, nullptr);
  EXPECT_EQ(moved->repeats(), 1U);
  EXPECT_NE(moved->find_provider_id("cloud://x"), InstanceSnapshot::kNone);
}

TEST(InstanceSnapshotTest, Issue37_AProviderOf1_0HasNoOtherIds) {
  const std::vector<Instance> whole = {known_as("cloud://1", {"cloud://x"})};
  const detail::InstanceListC raw(whole);  // it points into them
  ccm_instance old = *raw.first();
  old.size = offsetof(ccm_instance, other_ids);
  const auto copied = InstanceSnapshot::copy(&old);
  ASSERT_TRUE(copied.ok());
  EXPECT_EQ((*copied)->other_id_count(0), 0U);
}

}  // namespace
}  // namespace ccm::cloud
