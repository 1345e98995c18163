#include "node-lifecycle/node_state.hpp"

#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

namespace ccm::node_lifecycle {
namespace {

constexpr const char* kNode = R"({"metadata":{"name":"n","uid":"u-1","resourceVersion":"1",
  "annotations":{"cloud-controller-manager/allow-deletion":"true"}},
  "spec":{"providerID":"sandbox://1","taints":[{"key":"taint","effect":"NoSchedule"}]},
  "status":{"conditions":[{"type":"Ready","status":"True"}]}})";

// Both comparisons of a Node with a copy in which `part` was replaced by `other`.
struct Comparison {
  bool unread = false;
  bool read = false;
};
Comparison compare(const std::string& part, const std::string& other) {
  testing::FakeHost host;
  std::string changed = kNode;
  changed.replace(changed.find(part), part.size(), other);
  const Object before = host.objects.make(kNode);
  const Object now = host.objects.make(changed);
  return {surely_same_input(before, now), read_node(before).same_input(read_node(now))};
}

TEST(NodeState, WhatADecisionDependsOnIsNeverTakenForTheSame) {
  for (const char* part :
       {"u-1", "sandbox://1", "taint\"", "NoSchedule", "True", "allow-deletion"}) {
    const Comparison comparison = compare(part, "x" + std::string(part));
    EXPECT_FALSE(comparison.unread) << part;
    EXPECT_FALSE(comparison.read) << part;
  }
}

TEST(NodeState, AnotherVersionOfTheSameIsSeenUnread) {
  const Comparison comparison = compare("\"1\"", "\"2\"");
  EXPECT_TRUE(comparison.unread);
  EXPECT_TRUE(comparison.read);
}

}  // namespace
}  // namespace ccm::node_lifecycle
