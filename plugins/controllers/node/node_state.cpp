#include "node_state.hpp"

#include "names.hpp"

#include <ccm/json_writer.hpp>
#include <ccm/taints.hpp>
#include <ccm/timestamp.hpp>

#include <algorithm>
#include <utility>

namespace ccm::node {
namespace {

constexpr const char* kCreated = "/metadata/creationTimestamp";
constexpr const char* kAddresses = "/status/addresses";
constexpr const char* kPodRanges = "/spec/podCIDRs";

const std::string& annotation_pointer() {
  static const std::string pointer = "/metadata/annotations" + pointer_segment(kProvidedNodeIp);
  return pointer;
}

// The keys of kCloudLabels, each with its place among the labels.
const std::vector<std::pair<std::string_view, std::string>>& cloud_label_pointers() {
  static const auto pointers = [] {
    std::vector<std::pair<std::string_view, std::string>> all;
    for (const CloudLabel& label : kCloudLabels) {
      all.emplace_back(label.beta_key, pointer_segment(label.beta_key));
      all.emplace_back(label.key, pointer_segment(label.key));
    }
    return all;
  }();
  return pointers;
}

}  // namespace

bool NodeState::uninitialized() const {
  return std::any_of(taints.begin(), taints.end(),
                     [](const Taint& taint) { return taint.key == kUninitializedTaint; });
}

bool NodeState::has_ip() const {
  return std::any_of(addresses.begin(), addresses.end(), [](const NodeAddress& entry) {
    return entry.type == "InternalIP" || entry.type == "ExternalIP";
  });
}

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{
      "/metadata/labels", kCreated,  annotation_pointer(), "/spec/providerID", "/spec/taints",
      kPodRanges,         kAddresses};
  return fields;
}

bool is_uninitialized(const Object& node) {
  bool found = false;
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    found = taint.text("/key") == kUninitializedTaint;
    return !found;
  });
  return found;
}

bool same_input(const Object& left, const Object& right) {
  if (left.uid() != right.uid()) return false;
  for (const std::string& field : node_fields()) {
    if (field == kCreated || field == kAddresses || field == kPodRanges) continue;
    if (!left.at(field).equals(right.at(field))) return false;
  }
  return true;
}

Labels read_cloud_labels(const Object& node) {
  Labels labels;
  const Value all = node.at("/metadata/labels");
  for (const auto& [key, pointer] : cloud_label_pointers()) {
    if (const auto value = all.at(pointer).text()) labels.emplace(key, *value);
  }
  return labels;
}

std::vector<std::string> read_pod_ranges(const Object& node) {
  std::vector<std::string> ranges;
  node.at(kPodRanges).each([&](std::string_view, const Value& range) {
    ranges.emplace_back(range.text().value_or(std::string_view()));
  });
  return ranges;
}

std::vector<NodeAddress> read_addresses(const Object& node) {
  std::vector<NodeAddress> addresses;
  node.at(kAddresses).each([&](std::string_view, const Value& address) {
    addresses.push_back(
        {std::string(address.text("/type")), std::string(address.text("/address"))});
  });
  return addresses;
}

NodeState read_node(const Object& node) {
  NodeState state;
  state.name = node.name();
  state.uid = node.uid();
  state.resource_version = node.resource_version();
  state.provider_id = node.text("/spec/providerID");
  node.at("/metadata/labels").each([&](std::string_view key, const Value& value) {
    state.labels.emplace(key, value.text().value_or(std::string_view()));
  });
  node.at("/spec/taints").each([&](std::string_view, const Value& taint) {
    state.taints.push_back({std::string(taint.text("/key")), JsonWriter().value(taint).str()});
  });
  state.addresses = read_addresses(node);
  state.pod_ranges = read_pod_ranges(node);
  if (const auto ip = node.at(annotation_pointer()).text()) state.provided_node_ip = *ip;
  state.created = parse_timestamp(node.text(kCreated));
  return state;
}

}  // namespace ccm::node
