/*
 * Metrics, exposed by the host. Names and labels follow Prometheus' conventions; the host adds nothing to the name.
 */
#ifndef CCM_ABI_METRICS_H
#define CCM_ABI_METRICS_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_METRICS "ccm.host.metrics/1"

/* Values of ccm_metric.kind. [since 1.0] */
enum { CCM_METRIC_COUNTER = 1, CCM_METRIC_GAUGE = 2, CCM_METRIC_HISTOGRAM = 3 };

/* [request] [since 1.0] */
typedef struct ccm_metric {
  uint32_t size;
  uint32_t flags; /* 0 */
  int32_t kind;
  uint32_t reserved; /* 0 */
  ccm_str name;
  ccm_str help;
  const ccm_str *label_names;
  size_t label_count;
  const double *buckets; /* histograms only: upper bounds, ascending, without +Inf */
  size_t bucket_count;
} ccm_metric;

/* [host table] [since 1.0] */
typedef struct ccm_host_metrics {
  uint32_t size;
  uint32_t reserved;

  /* Returns the metric's number, or 0 when the name is invalid, taken with another shape, or the host's (those that
   * it reads at each scrape included), or the request has something that the host does not know; the host logs which.
   * The same definition twice gives the same number. [create] */
  uint64_t (*define)(void *self, const ccm_metric *metric);

  /* Adds to a counter (value >= 0), sets a gauge, observes a histogram. One label value for each label name; another
   * count, or an unknown metric, is ignored and counted. A metric keeps at most 1,000 series; further label values
   * count as "other". [any-thread] */
  void (*record)(void *self, uint64_t metric, const ccm_str *label_values, size_t label_count, double value);
} ccm_host_metrics;

#ifdef __cplusplus
}
#endif

#endif
