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

using Gauges = prometheus::Family<prometheus::Gauge>;
using Counters = prometheus::Family<prometheus::Counter>;
using Histograms = prometheus::Family<prometheus::Histogram>;

Gauges& gauges(Registry& registry, const char* metric, const char* help) {
  return prometheus::BuildGauge().Name(metric).Help(help).Register(registry);
}

Counters& counters(Registry& registry, const char* metric, const char* help) {
  return prometheus::BuildCounter().Name(metric).Help(help).Register(registry);
}

Histograms& histograms(Registry& registry, const char* metric, const char* help) {
  return prometheus::BuildHistogram().Name(metric).Help(help).Register(registry);
}

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

struct QueueMetrics::Families {
  explicit Families(Registry& registry)
      : depth(gauges(registry, "workqueue_depth", "Keys that could be taken now.")),
        adds(counters(registry, "workqueue_adds_total", "Keys added to the queue.")),
        waited(histograms(registry, "workqueue_queue_duration_seconds",
                          "Time from ready until taken.")),
        worked(
            histograms(registry, "workqueue_work_duration_seconds", "Time from taken until done.")),
        unfinished(gauges(registry, "workqueue_unfinished_work_seconds",
                          "Time that keys in work have taken so far, in total.")),
        longest(gauges(registry, "workqueue_longest_running_processor_seconds",
                       "Time that the oldest key in work has taken so far.")),
        retries(counters(registry, "workqueue_retries_total", "Adds with a delay.")) {}
  Gauges& depth;
  Counters& adds;
  Histograms& waited;
  Histograms& worked;
  Gauges& unfinished;
  Gauges& longest;
  Counters& retries;
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
void QueueMetrics::waited(std::chrono::nanoseconds duration) { waited_.Observe(seconds(duration)); }
void QueueMetrics::worked(std::chrono::nanoseconds duration) { worked_.Observe(seconds(duration)); }

void QueueMetrics::refresh(const WorkQueue& queue) {
  unfinished_.Set(queue.unfinished_seconds());
  longest_.Set(queue.longest_running_seconds());
}

}  // namespace ccm::runtime
