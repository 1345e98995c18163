// Instances of a cloud as a provider lists them.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"

#include <ccm/abi/instances.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::cloud {

struct Machine {
  std::string name;
  std::string provider_id;
  int32_t state = CCM_INSTANCE_RUNNING;
  std::vector<std::string> addresses{};
  std::vector<std::string> other_ids{};
};

// node-0, node-1, ... with the provider IDs cloud://0, cloud://1, ...
inline std::vector<Machine> numbered_machines(int count) {
  std::vector<Machine> machines;
  for (int number = 0; number < count; ++number) {
    const std::string text = std::to_string(number);
    machines.push_back({"node-" + text, "cloud://" + text});
  }
  return machines;
}

// `unknown`: of provider IDs; the listing says nothing of instances that begin so.
inline InstanceSnapshot::Ptr snapshot_of(const std::vector<Machine>& machines,
                                         const std::vector<std::string>& unknown = {}) {
  std::vector<ccm_instance> instances;
  std::vector<std::vector<ccm_node_address>> addresses;
  std::vector<std::vector<ccm_str>> other_ids;
  addresses.reserve(machines.size());
  other_ids.reserve(machines.size());
  for (const Machine& machine : machines) {
    ccm_instance instance{};
    instance.size = sizeof(instance);
    instance.state = machine.state;
    instance.name = c_str(machine.name);
    instance.provider_id = c_str(machine.provider_id);
    addresses.emplace_back();
    for (const std::string& address : machine.addresses) {
      addresses.back().push_back({c_str("InternalIP"), c_str(address)});
    }
    instance.addresses = addresses.back().data();
    instance.address_count = addresses.back().size();
    other_ids.emplace_back();
    for (const std::string& id : machine.other_ids) other_ids.back().push_back(c_str(id));
    instance.other_ids = other_ids.back().data();
    instance.other_id_count = other_ids.back().size();
    instances.push_back(instance);
  }
  std::vector<const ccm_instance*> pointers;
  for (const ccm_instance& instance : instances) pointers.push_back(&instance);
  auto list = sized<ccm_instance_list>();
  list.instances = pointers.data();
  list.count = pointers.size();
  std::vector<ccm_str> prefixes;
  for (const std::string& prefix : unknown) prefixes.push_back(c_str(prefix));
  list.unknown_prefixes = prefixes.data();
  list.unknown_prefix_count = prefixes.size();
  auto copied = InstanceSnapshot::copy(&list);
  EXPECT_TRUE(copied.ok());
  return *copied;
}

}  // namespace ccm::cloud
