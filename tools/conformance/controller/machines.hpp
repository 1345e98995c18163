// ccm.cloud.instances as the host's broker offers it to a controller: machines that a case sets.
// Any thread.
#pragma once

#include <ccm/instances.hpp>
#include <ccm/testing/fake_host.hpp>

#include <map>
#include <string>
#include <vector>

namespace ccm::conformance {

class Machines {
 public:
  explicit Machines(testing::FakeHost& host);
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  // By name; set before the controller runs.
  std::map<std::string, Instance> known;
  // Nobody can say anything about any machine.
  bool all_unknown = false;
  // States are numbers that these headers do not have, which count as unknown.
  bool state_of_the_future = false;

  [[nodiscard]] const ccm_cloud_instances* table() const { return &table_; }

 private:
  struct Table;
  [[nodiscard]] Instance of(const ccm_node_identity& identity) const;
  void fail(ccm_completion done, Status status);
  void answer(ccm_ctx ctx, ccm_completion done, std::vector<Instance> found, bool single);

  testing::FakeHost& host_;
  ccm_cloud_instances table_{};
};

}  // namespace ccm::conformance
