#include "runtime/queue_metrics.hpp"

#include "base/metric_families.hpp"

namespace ccm::runtime {

namespace {

using prometheus::Registry;

const metrics::Buckets& buckets() {
  static const metrics::Buckets bounds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10};
  return bounds;
}

}  // namespace

struct QueueMetrics::Families {
  explicit Families(Registry& registry)
      : depth(metrics::gauges(registry, "workqueue_depth", "Keys that could be taken now.")),
        adds(metrics::counters(registry, "workqueue_adds_total", "Keys added to the queue.")),
        waited(metrics::histograms(registry, "workqueue_queue_duration_seconds",
                                   "Time from ready until taken.")),
        worked(metrics::histograms(registry, "workqueue_work_duration_seconds",
                                   "Time from taken until done.")),
        unfinished(metrics::gauges(registry, "workqueue_unfinished_work_seconds",
                                   "Time that keys in work have taken so far, in total.")),
        longest(metrics::gauges(registry, "workqueue_longest_running_processor_seconds",
                                "Time that the oldest key in work has taken so far.")),
        retries(metrics::counters(registry, "workqueue_retries_total", "Adds with a delay.")) {}
  metrics::Gauges& depth;
  metrics::Counters& adds;
  metrics::Histograms& waited;
  metrics::Histograms& worked;
  metrics::Gauges& unfinished;
  metrics::Gauges& longest;
  metrics::Counters& retries;
};

QueueMetrics::QueueMetrics(Registry& registry, const std::string& name)
    : QueueMetrics(Families(registry), name) {}

QueueMetrics::QueueMetrics(const Families& families, const std::string& name)
    : depth_(families.depth.Add({{"name", name}})),
      adds_(families.adds.Add({{"name", name}})),
      waited_(families.waited.Add({{"name", name}}, buckets())),
      worked_(families.worked.Add({{"name", name}}, buckets())),
      unfinished_(families.unfinished.Add({{"name", name}})),
      longest_(families.longest.Add({{"name", name}})),
      retries_(families.retries.Add({{"name", name}})) {}

void QueueMetrics::reserve(Registry& registry) { static_cast<void>(Families(registry)); }

void QueueMetrics::added() { adds_.Increment(); }
void QueueMetrics::retried() { retries_.Increment(); }
void QueueMetrics::depth(std::size_t ready) { depth_.Set(static_cast<double>(ready)); }
void QueueMetrics::waited(std::chrono::nanoseconds duration) {
  waited_.Observe(metrics::seconds(duration));
}
void QueueMetrics::worked(std::chrono::nanoseconds duration) {
  worked_.Observe(metrics::seconds(duration));
}

void QueueMetrics::refresh(const WorkQueue& queue) {
  unfinished_.Set(queue.unfinished_seconds());
  longest_.Set(queue.longest_running_seconds());
}

}  // namespace ccm::runtime
