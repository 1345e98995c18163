// cloud-node-controller: a Node that joins with the taint
// node.cloudprovider.kubernetes.io/uninitialized gets its provider ID, labels and addresses from
// the cloud and loses the taint; an initialised Node gets its labels repaired, and its addresses,
// type, zone and region are compared with the cloud from time to time. [serial]
//
// Two writes initialise a Node: first nodes/<name>/status with the addresses, then nodes/<name>
// with provider ID, labels and taints. In this order because removing the taint lets pods in:
// everything else must be there first, and a failure of either write leaves a Node that is simply
// retried.
#pragma once

#include "desired_state.hpp"
#include "node_state.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::node {

class Controller {
 public:
  explicit Controller(Host& host);

  // Unimplemented when the provider has no instances (NODE-1).
  Status setup(Setup& setup);
  Task<Status> reconcile(Ctx ctx, Request request);

 private:
  void on_event(EventKind kind, const Object& old, const Object& now, const Queue& queue);

  // The instance of an existing Node; a failure says why there is none to work with.
  Task<Result<Instance>> find_instance(Ctx ctx, Object node);

  Task<Status> initialize(Ctx ctx, Object node);
  // One attempt of both writes from one state of the Node. The class conflict asks for another one.
  Task<Status> write(Ctx ctx, Object node, const Instance* instance);
  Task<Status> write_labels(Ctx ctx, Object node, Labels labels);
  // Addresses and labels of an initialised Node.
  Task<Status> refresh(Ctx ctx, Object node);
  Task<Status> write_refreshed(Ctx ctx, Object node, Instance instance);
  void report_topology(const Object& node, const Labels& differing);
  void report_families(const Object& node, const std::string& text);
  // Somebody wrote other addresses than this process did, and it is time to compare again.
  [[nodiscard]] bool readdressed(const Object& old, const Object& now);
  // The addresses of `node` are written once more.
  void report_restored(const Object& node, const std::vector<NodeAddress>& addresses);
  // At the resourceVersion `version`; empty = any.
  Task<Result<Object>> write_addresses(Ctx ctx, Object node, std::string version,
                                       std::vector<NodeAddress> addresses, PatchAnswer answer);

  void initialized(const Object& object, const NodeState& node, const DesiredState& desired) const;
  void report(const Object& node, const Status& status, uint32_t attempt) const;

  Host& host_;
  Metric taint_removal_delay_;
  Metric initial_sync_delay_;
  bool refresh_labels_ = true;
  bool refresh_topology_ = false;  // zone and region too
  // The zone or region of the cloud that contradicts the Node's, as recorded in the Event.
  std::unordered_map<std::string, std::string> contradicted_;
  // Nodes that are not this controller's, and why.
  std::unordered_map<std::string, Status> left_alone_;
  // Why a Node has one IP family alone, as recorded in the Event.
  std::unordered_map<std::string, std::string> one_family_;
  bool dual_stack_ = false;  // a Node has Pod ranges of both families, or --cluster-cidr does
  // Initialised Nodes whose addresses this process wrote.
  struct Restored {
    std::vector<NodeAddress> addresses;
    std::chrono::milliseconds at{0};
    bool reported = false;
  };
  std::unordered_map<std::string, Restored> restored_;
  // Nodes that were uninitialised at their last attempt: their instances are looked up afresh.
  std::unordered_set<std::string> tried_;
  std::optional<Semaphore> status_updates_;  // only when the user bounds them
};

}  // namespace ccm::node
