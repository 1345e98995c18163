// Shared by the two halves of NodeDeletions: node_deletions.cpp observes the cloud and asks the
// brake, node_deletion_verdicts.cpp decides and writes. Loop thread.
#pragma once

#include "cloud/deletion/node_deletions.hpp"

#include <chrono>

namespace ccm::plugin {

// One deletion on its way through the gate.
struct NodeDeletions::Case {
  NodeDeletion deletion;
  NodeFacts node;
  runtime::TimePoint deadline;
  bool apart = false;              // of NodeView::apart
  const char* ground = "deleted";  // for metrics
  int tries_left = 3;              // of the DELETE, after conflicts
};

}  // namespace ccm::plugin
