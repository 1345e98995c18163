#include "node_state.hpp"

#include <ccm/json_writer.hpp>
#include <ccm/taints.hpp>
#include <ccm/timestamp.hpp>

namespace ccm::node_lifecycle {
namespace {

constexpr const char* kMarkPointer =
    "/metadata/annotations/cloud-controller-manager~1out-of-service-taint";
constexpr const char* kReleasePointer =
    "/metadata/annotations/cloud-controller-manager~1allow-deletion";
constexpr const char* kDeleted = "/metadata/deletionTimestamp";
constexpr const char* kFinalizers = "/metadata/finalizers";

}  // namespace

bool NodeState::same_input(const NodeState& other) const {
  return uid == other.uid && provider_id == other.provider_id && ready == other.ready &&
         marked == other.marked && released == other.released && taints == other.taints &&
         deleting == other.deleting && finalizers == other.finalizers;
}

bool is_ready(const Object& node) {
  bool ready = false;
  node.at("/status/conditions").each([&](std::string_view, const Value& condition) {
    if (condition.text("/type") != "Ready") return true;
    ready = condition.text("/status") == "True";
    return false;
  });
  return ready;
}

bool is_deleting(const Object& node) { return !node.text(kDeleted).empty(); }

bool is_marked(const Object& node) { return !node.text(kMarkPointer).empty(); }

bool surely_same_input(const Object& left, const Object& right) {
  if (left.uid() != right.uid()) return false;
  for (const char* field : {kMarkPointer, kReleasePointer, kDeleted, kFinalizers,
                            "/spec/providerID", "/spec/taints", "/status/conditions"}) {
    if (!left.at(field).equals(right.at(field))) return false;
  }
  return true;
}

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{"/metadata/creationTimestamp",
                                               kDeleted,
                                               kFinalizers,
                                               kMarkPointer,
                                               kReleasePointer,
                                               "/spec/providerID",
                                               "/spec/taints",
                                               "/status/conditions/-/type",
                                               "/status/conditions/-/status"};
  return fields;
}

NodeState read_node(const Object& node) {
  NodeState state;
  state.name = node.name();
  state.uid = node.uid();
  state.resource_version = node.resource_version();
  state.provider_id = node.text("/spec/providerID");
  state.marked = is_marked(node);
  state.released = node.text(kReleasePointer) == "true";
  state.deleting = is_deleting(node);
  node.at(kFinalizers).each([&](std::string_view, const Value& finalizer) {
    state.finalizers.emplace_back(finalizer.text().value_or(std::string_view()));
  });
  state.created = parse_timestamp(node.text("/metadata/creationTimestamp"));
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    state.taints.push_back({std::string(taint.text("/key")), std::string(taint.text("/value")),
                            std::string(taint.text("/effect")), JsonWriter().value(taint).str()});
    state.uninitialized = state.uninitialized || state.taints.back().key == kUninitializedTaint;
  });
  state.ready = is_ready(node);
  return state;
}

}  // namespace ccm::node_lifecycle
