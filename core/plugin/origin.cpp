#include "plugin/origin.hpp"

namespace ccm::plugin {

std::string_view to_string(CallPriority priority) {
  static constexpr std::array<std::string_view, 5> kNames{"node-init", "load-balancers", "routes",
                                                          "backends", "refresh"};
  return kNames.at(static_cast<std::size_t>(priority));
}

void Origin::began(std::string_view operation) {
  const Operation known = operation_of(operation);
  last_step_ = operation;
  failed_step_ = {};  // its failure did not end the reconcile
  if (!known.asks_cloud) return;
  cloud_step_ = operation;
  if (priority_ == CallPriority::refresh) return;
  priority_ = known.priority;
  // A key with a namespace is no Node's: a Service that asks about instances spends nothing that is
  // reserved for new Nodes.
  const bool namespaced = key_.find('/') != std::string::npos;
  if (namespaced && priority_ == CallPriority::node_init) priority_ = CallPriority::load_balancers;
}

void Origin::ended(std::string_view operation, const Status& status) {
  if (operation_of(operation).asks_cloud) cloud_status_ = status;
  if (!status.ok()) failed_step_ = operation;
}

std::string_view Origin::step() const {
  if (!failed_step_.empty()) return failed_step_;
  return cloud_step_.empty() ? last_step_ : cloud_step_;
}

}  // namespace ccm::plugin
