// One change of Nodes on its way to all Services: which of them have yet to see it, and the
// duration of the whole pass (MET-6). [serial]
#pragma once

#include "record.hpp"

#include <ccm/metrics.hpp>

#include <chrono>
#include <cstddef>

namespace ccm::service {

class NodePass {
 public:
  using Milliseconds = std::chrono::milliseconds;

  explicit NodePass(Metric latency) : latency_(latency) {}

  // False when that Service is scheduled already: a hundred Nodes in a second are one update.
  bool schedule(Record& record, Milliseconds now) {
    if (record.scheduled) return false;
    record.scheduled = true;
    if (open_++ == 0) started_ = now;
    return true;
  }
  // A reconcile of the Service begins; true when a change of Nodes caused it.
  static bool take(Record& record) { return std::exchange(record.scheduled, false); }
  // That reconcile has ended.
  void ended(Milliseconds now) {
    if (open_ == 0 || --open_ > 0) return;
    latency_.record(static_cast<double>((now - started_).count()) / 1e3);
  }

 private:
  Metric latency_;
  std::size_t open_ = 0;
  Milliseconds started_{0};
};

}  // namespace ccm::service
