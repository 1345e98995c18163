#include "node_state.hpp"

#include <ccm/json_writer.hpp>

#include <utility>

namespace ccm::ipam {

std::string NodeState::joined() const {
  std::string text;
  for (const std::string& cidr : cidrs) text += (text.empty() ? "" : ", ") + cidr;
  return text;
}

const std::vector<std::string>& node_fields() {
  static const std::vector<std::string> fields{"/metadata/creationTimestamp",
                                               "/metadata/deletionTimestamp", "/spec/podCIDR",
                                               "/spec/podCIDRs"};
  return fields;
}

NodeState read_node(const Object& node) {
  NodeState state;
  state.name = node.name();
  state.uid = node.uid();
  state.created = node.text("/metadata/creationTimestamp");
  state.version = node.version();
  state.deleting = node.at("/metadata/deletionTimestamp").exists();
  node.at("/spec/podCIDRs").each([&](std::string_view, const Value& cidr) {
    state.cidrs.emplace_back(cidr.text().value_or(std::string_view()));
  });
  const std::string_view single = node.text("/spec/podCIDR");
  if (!single.empty() && (state.cidrs.empty() || state.cidrs.front() != single)) {
    state.cidrs.assign(1, std::string(single));
  }
  return state;
}

std::string assigner(const Object& node) {
  std::string manager;
  node.at("/metadata/managedFields").each([&](std::string_view, const Value& entry) {
    const bool wrote = entry.at("/fieldsV1/f:spec/f:podCIDR").exists() ||
                       entry.at("/fieldsV1/f:spec/f:podCIDRs").exists();
    if (wrote) manager = entry.text("/manager");
  });
  return manager;
}

std::string cidr_patch(const std::string& uid, const std::vector<Cidr>& blocks) {
  JsonWriter json;
  json.object([&] {
    json.member("metadata").object([&] { json.member("uid").text(uid); });
    json.member("spec").object([&] {
      json.member("podCIDR").text(blocks.front().text());
      json.member("podCIDRs").array([&] {
        for (const Cidr& block : blocks) json.text(block.text());
      });
    });
  });
  return std::move(json).str();
}

}  // namespace ccm::ipam
