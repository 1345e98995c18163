#include "cloud/broker/instance_snapshot.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <vector>

namespace ccm::plugin {
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

}  // namespace
}  // namespace ccm::plugin
