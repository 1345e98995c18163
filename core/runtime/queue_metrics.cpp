#include "runtime/queue_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace ccm::runtime {

namespace {

using prometheus::Registry;

const prometheus::Histogram::BucketBoundaries& buckets() {
  static const prometheus::Histogram::BucketBoundaries bounds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4,
                                                              1e-3, 1e-2, 0.1,  1,    10};
  return bounds;
}

prometheus::Gauge& gauge(Registry& registry, const char* metric, const char* help,
                         const std::string& queue) {
  return prometheus::BuildGauge().Name(metric).Help(help).Register(registry).Add({{"name", queue}});
}

prometheus::Counter& counter(Registry& registry, const char* metric, const char* help,
                             const std::string& queue) {
  return prometheus::BuildCounter().Name(metric).Help(help).Register(registry).Add(
      {{"name", queue}});
}

prometheus::Histogram& histogram(Registry& registry, const char* metric, const char* help,
                                 const std::string& queue) {
  return prometheus::BuildHistogram().Name(metric).Help(help).Register(registry).Add(
      {{"name", queue}}, buckets());
}

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

QueueMetrics::QueueMetrics(Registry& registry, const std::string& name)
    : depth_(gauge(registry, "workqueue_depth", "Keys that could be taken now.", name)),
      adds_(counter(registry, "workqueue_adds_total", "Keys added to the queue.", name)),
      waited_(histogram(registry, "workqueue_queue_duration_seconds",
                        "Time from ready until taken.", name)),
      worked_(histogram(registry, "workqueue_work_duration_seconds", "Time from taken until done.",
                        name)),
      unfinished_(gauge(registry, "workqueue_unfinished_work_seconds",
                        "Time that keys in work have taken so far, in total.", name)),
      longest_(gauge(registry, "workqueue_longest_running_processor_seconds",
                     "Time that the oldest key in work has taken so far.", name)),
      retries_(counter(registry, "workqueue_retries_total", "Adds with a delay.", name)) {}

void QueueMetrics::added() { adds_.Increment(); }
void QueueMetrics::retried() { retries_.Increment(); }
void QueueMetrics::depth(std::size_t ready) { depth_.Set(static_cast<double>(ready)); }
void QueueMetrics::waited(std::chrono::nanoseconds duration) { waited_.Observe(seconds(duration)); }
void QueueMetrics::worked(std::chrono::nanoseconds duration) { worked_.Observe(seconds(duration)); }

void QueueMetrics::refresh(const WorkQueue& queue) {
  unfinished_.Set(queue.unfinished_seconds());
  longest_.Set(queue.longest_running_seconds());
}

}  // namespace ccm::runtime
