#include "node_changes.hpp"

#include <chrono>
#include <utility>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

// Changes of Nodes within that time are one update of each load balancer.
constexpr milliseconds kNodeWindow{1'000};

}  // namespace

void NodeChanges::on_node(EventKind kind, const Object& old, const Object& now,
                          const Queue& queue) {
  if (!members_.on_node(kind, old, now)) {
    if (const auto left = members_.left(now)) queue.add(kNodesKey, Priority::changed, *left);
    return;
  }
  if (records_.all().empty()) {
    missed_ = true;
    return;
  }
  pass_.changed(host_.timer.now());
  queue.add(kNodesKey, Priority::changed, kNodeWindow);
}

// Nodes that came while no Service needed them have to be asked about, or the first Service would
// begin without them. The pass afterwards repeats a question that failed.
Task<Status> NodeChanges::learn(Ctx ctx) {
  const bool missed = std::exchange(missed_, false);
  if (!missed && members_.settled()) co_return Status();
  Status learned = co_await members_.learn(ctx);
  if (missed) host_.queue.add(kNodesKey, Priority::changed);
  co_return members_.settled() ? Status() : learned;
}

// Where the cloud does not answer, those Services come that have to do with less than it.
Task<Status> NodeChanges::sync(Ctx ctx) {
  Status learned = co_await members_.learn(ctx);
  if (!members_.settled()) co_return learned;
  const Members::Set set = members_.current();
  for (const auto& [key, record] : records_.all()) {
    if (set->hash(record->node_labels) == record->offered_hash) continue;
    if (pass_.schedule(*record)) host_.queue.add(key, Priority::changed);
  }
  pass_.scheduled();
  if (!learned.ok()) learned.with_context("failed to find the instances of the Nodes");
  co_return learned;
}

}  // namespace ccm::service
