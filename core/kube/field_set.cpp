#include "kube/json_pointer.hpp"
#include "kube/object.hpp"

#include <algorithm>

namespace ccm::kube {
namespace {

using Node = FieldSet::Node;

Node& child_of(Node& node, std::string_view key) {
  for (auto& [name, child] : node.children) {
    if (name == key) return child;
  }
  return node.children.emplace_back(std::string(key), Node{}).second;
}

void keep_whole(Node& node) {
  node.whole = true;
  node.children.clear();
}

void merge_into(Node& into, const Node& from) {
  if (into.whole) return;
  if (from.whole) return keep_whole(into);
  for (const auto& [key, child] : from.children) merge_into(child_of(into, key), child);
}

bool node_covers(const Node& node, const Node& other) {
  if (node.whole) return true;
  if (other.whole) return false;
  return std::all_of(other.children.begin(), other.children.end(), [&](const auto& entry) {
    const Node* mine = node.child(entry.first);
    return mine != nullptr && node_covers(*mine, entry.second);
  });
}

}  // namespace

const Node* Node::child(std::string_view key) const {
  for (const auto& [name, node] : children) {
    if (name == key) return &node;
  }
  return nullptr;
}

// With an index beside it somebody else needs whole elements.
const Node* Node::each_element() const {
  if (children.size() != 1 || children.front().first != "-") return nullptr;
  return children.front().second.whole ? nullptr : &children.front().second;
}

FieldSet::FieldSet() {
  for (const char* key : {"apiVersion", "kind"}) keep_whole(child_of(root_, key));
  Node& metadata = child_of(root_, "metadata");
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "deletionTimestamp"}) {
    keep_whole(child_of(metadata, key));
  }
}

FieldSet FieldSet::all() {
  FieldSet set;
  keep_whole(set.root_);
  return set;
}

Result<FieldSet> FieldSet::of(const std::vector<std::string>& pointers) {
  FieldSet set;
  for (const std::string& pointer : pointers) {
    if (Status status = set.add(pointer); !status.ok()) return status;
  }
  return set;
}

Status FieldSet::add(std::string_view pointer) {
  if (!JsonPointer::valid(pointer)) {
    return {Code::invalid_argument, ErrorClass::invalid_spec,
            "\"" + std::string(pointer) +
                "\" is no JSON pointer (RFC 6901): write \"\" or \"/spec/providerID\", with ~0 for "
                "~ and ~1 for /"};
  }
  Node* node = &root_;
  JsonPointer tokens(pointer);
  std::string token;
  while (!node->whole && tokens.next(token)) node = &child_of(*node, token);
  keep_whole(*node);
  return {};
}

void FieldSet::merge(const FieldSet& other) { merge_into(root_, other.root_); }

bool FieldSet::covers(const FieldSet& other) const { return node_covers(root_, other.root_); }

}  // namespace ccm::kube
