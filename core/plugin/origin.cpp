#include "plugin/origin.hpp"

namespace ccm::plugin {

namespace {

bool asks_the_cloud(std::string_view operation) {
  return operation.starts_with("loadbalancers.") || operation.starts_with("instances.") ||
         operation.starts_with("routes.") || operation == "http.send";
}

CallPriority priority_of(std::string_view operation) {
  if (operation.starts_with("instances.")) return CallPriority::node_init;
  if (operation == "loadbalancers.update_backends") return CallPriority::backends;
  if (operation.starts_with("loadbalancers.")) return CallPriority::load_balancers;
  return CallPriority::routes;
}

}  // namespace

std::string_view to_string(CallPriority priority) {
  switch (priority) {
    case CallPriority::node_init:
      return "node-init";
    case CallPriority::load_balancers:
      return "load-balancers";
    case CallPriority::routes:
      return "routes";
    case CallPriority::backends:
      return "backends";
    case CallPriority::refresh:
      return "refresh";
  }
  return "refresh";
}

void Origin::began(std::string_view operation) {
  last_step_ = operation;
  failed_step_ = {};  // its failure did not end the reconcile
  if (!asks_the_cloud(operation)) return;
  cloud_step_ = operation;
  if (priority_ == CallPriority::refresh) return;
  priority_ = priority_of(operation);
  // A key with a namespace is no Node's: a Service that asks about instances spends nothing that is
  // reserved for new Nodes.
  const bool namespaced = key_.find('/') != std::string::npos;
  if (namespaced && priority_ == CallPriority::node_init) priority_ = CallPriority::load_balancers;
}

void Origin::ended(std::string_view operation, const Status& status) {
  if (asks_the_cloud(operation)) cloud_status_ = status;
  if (!status.ok()) failed_step_ = operation;
}

std::string_view Origin::step() const {
  if (!failed_step_.empty()) return failed_step_;
  return cloud_step_.empty() ? last_step_ : cloud_step_;
}

}  // namespace ccm::plugin
