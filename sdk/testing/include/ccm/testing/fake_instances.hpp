// A small cloud with instances, as the host's broker shows it to controllers. A host has it once a
// test offers it:
//
//   FakeInstances cloud(host);
//   host.offer(CCM_CLOUD_INSTANCES, cloud.service());
//   cloud.instances = {instance};
//   cloud.fail_next("describe", Status(Code::unavailable, ErrorClass::unavailable, "503"));
#pragma once

#include <ccm/instances.hpp>
#include <ccm/testing/fake_cloud_script.hpp>
#include <ccm/testing/fake_host.hpp>

#include <map>
#include <string>
#include <vector>

namespace ccm::testing {

class FakeInstances : public FakeCloudScript {
 public:
  // `host` must outlive it.
  explicit FakeInstances(FakeHost& host);

  // All of them. A Node's is found by its provider ID, else by its name; a name that stands twice
  // is unknown, and so is a provider ID that does not begin with `prefix`.
  std::vector<Instance> instances;
  std::string prefix;
  // Nothing is known of the Nodes of these names, for that reason.
  std::map<std::string, Status> unknown;
  // The Nodes that were asked about, in order.
  std::vector<NodeIdentity> asked;

  [[nodiscard]] ccm_interface service() { return {this, &table_}; }

 private:
  struct Table;
  [[nodiscard]] Instance answer(const NodeIdentity& node) const;

  FakeObjects& objects_;
  ccm_cloud_instances table_{};
};

}  // namespace ccm::testing
