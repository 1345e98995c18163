#include "kube/json_pointer.hpp"
#include "kube/object.hpp"

#include <algorithm>

namespace ccm::kube {
namespace {

// Objects nest no deeper (Object::decode), so a longer pointer would only cost stack.
constexpr std::size_t kMaxTokens = 128;

using Node = FieldSet::Node;

Node& child_of(Node& node, std::string_view key) {
  for (auto& [name, child] : node.children) {
    if (name == key) return child;
  }
  return node.children.emplace_back(FieldSet::Child{std::string(key), Node{}}).node;
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
  return std::all_of(other.children.begin(), other.children.end(),
                     [&](const FieldSet::Child& entry) {
                       const Node* mine = node.child(entry.name);
                       return mine != nullptr && node_covers(*mine, entry.node);
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
  if (children.size() != 1 || children.front().name != "-") return nullptr;
  return children.front().node.whole ? nullptr : &children.front().node;
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
  if (std::count(pointer.begin(), pointer.end(), '/') > std::ptrdiff_t{kMaxTokens}) {
    return {Code::invalid_argument, ErrorClass::invalid_spec,
            "a JSON pointer has more than 128 segments, deeper than any object"};
  }
  Node* node = &root_;
  JsonPointer tokens(pointer);
  std::string_view token;
  while (!node->whole && tokens.next(token)) node = &child_of(*node, token);
  keep_whole(*node);
  return {};
}

void FieldSet::merge(const FieldSet& other) { merge_into(root_, other.root_); }

bool FieldSet::covers(const FieldSet& other) const { return node_covers(root_, other.root_); }

}  // namespace ccm::kube
