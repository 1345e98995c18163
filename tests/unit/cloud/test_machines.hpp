// Instances of a cloud as a provider lists them.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"

#include <ccm/abi/instances.h>
#include <ccm/sized.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
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

// A listing as a provider gives it. `unknown`: of provider IDs; the listing says nothing of
// instances that begin so.
class MachineList {
 public:
  explicit MachineList(std::vector<Machine> machines, std::vector<std::string> unknown = {})
      : machines_(std::move(machines)), unknown_(std::move(unknown)) {
    addresses_.reserve(machines_.size());
    other_ids_.reserve(machines_.size());
    for (const Machine& machine : machines_) {
      ccm_instance instance{};
      instance.size = sizeof(instance);
      instance.state = machine.state;
      instance.name = c_str(machine.name);
      instance.provider_id = c_str(machine.provider_id);
      auto& addresses = addresses_.emplace_back();
      for (const std::string& address : machine.addresses) {
        addresses.push_back({c_str("InternalIP"), c_str(address)});
      }
      instance.addresses = addresses.data();
      instance.address_count = addresses.size();
      auto& other_ids = other_ids_.emplace_back();
      for (const std::string& id : machine.other_ids) other_ids.push_back(c_str(id));
      instance.other_ids = other_ids.data();
      instance.other_id_count = other_ids.size();
      instances_.push_back(instance);
    }
    for (const ccm_instance& instance : instances_) pointers_.push_back(&instance);
    for (const std::string& prefix : unknown_) prefixes_.push_back(c_str(prefix));
    list_.instances = pointers_.data();
    list_.count = pointers_.size();
    list_.unknown_prefixes = prefixes_.data();
    list_.unknown_prefix_count = prefixes_.size();
  }
  MachineList(const MachineList&) = delete;
  MachineList& operator=(const MachineList&) = delete;

  [[nodiscard]] const ccm_instance_list* get() const { return &list_; }

 private:
  const std::vector<Machine> machines_;
  const std::vector<std::string> unknown_;
  std::vector<std::vector<ccm_node_address>> addresses_;
  std::vector<std::vector<ccm_str>> other_ids_;
  std::vector<ccm_instance> instances_;
  std::vector<const ccm_instance*> pointers_;
  std::vector<ccm_str> prefixes_;
  ccm_instance_list list_ = sized<ccm_instance_list>();
};

inline InstanceSnapshot::Ptr snapshot_of(const std::vector<Machine>& machines,
                                         const std::vector<std::string>& unknown = {}) {
  const MachineList list(machines, unknown);
  auto copied = InstanceSnapshot::copy(list.get());
  EXPECT_TRUE(copied.ok());
  return *copied;
}

}  // namespace ccm::cloud
