// One change of Nodes on its way to all Services: which of them have yet to see it, and the
// duration of the whole pass (MET-6). [serial]
#pragma once

#include "record.hpp"

#include <ccm/metrics.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace ccm::service {

class NodePass {
 public:
  using Milliseconds = std::chrono::milliseconds;

  explicit NodePass(Metric latency) : latency_(latency) {}

  // Nodes have changed; further changes before scheduled() belong to the same pass.
  void changed(Milliseconds now) {
    if (!first_) first_ = now;
  }
  // False when that Service is scheduled already: a hundred Nodes in a second are one update.
  bool schedule(Record& record) {
    if (record.scheduled) return false;
    record.scheduled = true;
    if (open_++ == 0 && first_) started_ = *first_;
    return true;
  }
  // All Services that have to see those changes are scheduled.
  void scheduled() { first_.reset(); }
  // A reconcile of the Service begins; true when a change of Nodes caused it.
  static bool take(Record& record) { return std::exchange(record.scheduled, false); }
  // That reconcile has ended.
  void ended(Milliseconds now) {
    if (open_ == 0 || --open_ > 0) return;
    latency_.record(static_cast<double>((now - started_).count()) / 1e3);
  }

 private:
  Metric latency_;
  std::optional<Milliseconds> first_;
  std::size_t open_ = 0;
  Milliseconds started_{0};
};

}  // namespace ccm::service
