// The interface that a controller runner drives: reconcile one key and report the result.
#pragma once

#include "runtime/work_queue.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <functional>

namespace ccm::runtime {

using ReconcileRequest = WorkQueue::Item;

struct ReconcileResult {
  std::chrono::milliseconds requeue_after{0};  // 0 = only after the next event
};

class Reconciler {
 public:
  using Done = std::function<void(Status, ReconcileResult)>;
  virtual ~Reconciler() = default;
  // Reconciles `request.key` within `timeout`. Calls `done` exactly once, on the loop, never inside
  // this call. Loop thread.
  virtual void reconcile(const ReconcileRequest& request, std::chrono::milliseconds timeout,
                         Done done) = 0;
  // Cancels the ctx of all running reconciles; each `done` is still called. Loop thread.
  virtual void cancel() = 0;
};

}  // namespace ccm::runtime
