/* Fault: records a metric with more label values than it has labels. */
#include "labelling.h"

static uint64_t number;

static void begin(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_METRICS);
  ccm_metric metric;
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_COUNTER;
  metric.name = text("faulty_total");
  metric.help = text("Reconciles");
  number = ((const ccm_host_metrics*)found.table)->define(found.self, &metric);
  setup_labels(self, ctx, request, done);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_METRICS);
  const ccm_str value = text("yes");
  ((const ccm_host_metrics*)found.table)->record(found.self, number, &value, 1, 1);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("metric-with-other-labels", begin, reconcile)
