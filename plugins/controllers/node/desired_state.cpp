#include "desired_state.hpp"

#include "addresses.hpp"
#include "names.hpp"
#include "provided_node_ip.hpp"

#include <utility>

namespace ccm::node {

Result<DesiredState> desired_state(const NodeState& node, const Instance& instance) {
  DesiredState desired;
  if (node.provider_id.empty()) {
    if (instance.provider_id.empty()) {
      return Status(Code::failed_precondition, "the cloud's instance has no provider ID")
          .with_reason("NoProviderID");
    }
    desired.provider_id = instance.provider_id;
  }
  if (instance.addresses.empty() && !node.has_ip()) {
    return Status(Code::unavailable, ErrorClass::waiting,
                  "the cloud gives its instance no addresses yet")
        .with_reason(std::string(kInstanceNotReady));
  }
  if (node.provided_node_ip) {
    // Against the instance's own addresses, also when there are none to write.
    const auto pinned = pin_addresses(instance.addresses, *node.provided_node_ip);
    if (!pinned.ok()) return pinned.status();
  }
  auto addresses = desired_addresses(node, instance.addresses);
  if (!addresses.ok()) return addresses.status();
  desired.addresses = *std::move(addresses);
  desired.labels = plan_labels(node.labels, instance);
  return desired;
}

}  // namespace ccm::node
