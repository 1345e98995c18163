/* Fault: calls functions that are for create and setup while it reconciles. */
#include "faulty.h"

static int drops;

static void never(void* owner) {
  (void)owner;
  abort();
}

static void dropped(void* owner) {
  (void)owner;
  ++drops;
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  static int calls;
  const ccm_interface metrics = service(CCM_HOST_METRICS);
  const ccm_interface config = service(CCM_HOST_CONFIG);
  const ccm_interface leader = service(CCM_HOST_LEADER);
  ccm_callback callback;
  ccm_metric metric;
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_COUNTER;
  metric.name = text("faulty_late_total");
  callback.fn = never;
  callback.drop = dropped;
  callback.owner = NULL;
  if (((const ccm_host_metrics*)metrics.table)->define(metrics.self, &metric) != 0) abort();
  if (((const ccm_host_config*)config.table)->on_change(config.self, callback) != 0) abort();
  if (((const ccm_host_leader*)leader.table)->on_change(leader.self, callback) != 0) abort();
  if (drops != 2 * ++calls) abort();
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("create-functions-too-late", setup_nodes, reconcile)
