// The fields of a Node that this controller reads, as values. Any thread.
#pragma once

#include <ccm/object.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ccm::node_lifecycle {

// On a Node that got the out-of-service taint from this controller: the taint is removed again
// whatever the flag says by then, while a taint from another writer stays.
inline constexpr const char* kOutOfServiceMark = "cloud-controller-manager/out-of-service-taint";

struct Taint {
  std::string key;
  std::string value;
  std::string effect;
  std::string json;  // the whole taint, members unknown here included
  bool operator==(const Taint&) const = default;
};

struct NodeState {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string provider_id;
  bool ready = false;          // condition Ready is True; missing = not (LIFE-4)
  bool uninitialized = false;  // not matched with an instance yet
  bool deleting = false;       // has a deletionTimestamp
  std::vector<std::string> finalizers;
  bool marked = false;    // this controller gave it the out-of-service taint
  bool released = false;  // somebody permits the deletion that the host's brake holds back
  std::vector<Taint> taints;
  std::optional<std::chrono::milliseconds> created;  // since 1970

  // Equal in everything that a decision depends on.
  [[nodiscard]] bool same_input(const NodeState& other) const;
};

// JSON pointers of all fields that read_node() reads. Of the conditions only types and statuses are
// kept: heartbeats cause no events.
const std::vector<std::string>& node_fields();

NodeState read_node(const Object& node);
// NodeState::ready, NodeState::deleting and NodeState::marked of read_node().
bool is_ready(const Object& node);
bool is_deleting(const Object& node);
bool is_marked(const Object& node);

// True only when NodeState::same_input() would be, and without parsing both, since there are
// thousands of events; false says nothing.
bool surely_same_input(const Object& left, const Object& right);

}  // namespace ccm::node_lifecycle
