// The workqueue_* metrics of one queue (MET-19..25), as client-go names them.
#pragma once

#include "runtime/work_queue.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
class Registry;
}  // namespace prometheus

namespace ccm::runtime {

class QueueMetrics final : public QueueObserver {
 public:
  // `registry` must outlive it. `name` is the label of all its series.
  QueueMetrics(prometheus::Registry& registry, const std::string& name);
  // Reserves the names before the first queue is made.
  static void reserve(prometheus::Registry& registry);
  void added() override;
  void retried() override;
  void depth(std::size_t ready) override;
  void waited(std::chrono::nanoseconds duration) override;
  void worked(std::chrono::nanoseconds duration) override;
  // Sets the two gauges for running keys; to be called every 500 ms.
  void refresh(const WorkQueue& queue);

 private:
  struct Families;
  QueueMetrics(const Families& families, const std::string& name);

  prometheus::Gauge& depth_;
  prometheus::Counter& adds_;
  prometheus::Histogram& waited_;
  prometheus::Histogram& worked_;
  prometheus::Gauge& unfinished_;
  prometheus::Gauge& longest_;
  prometheus::Counter& retries_;
};

}  // namespace ccm::runtime
