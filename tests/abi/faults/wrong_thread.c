/* Fault: calls a [create] and a [serial] function from a thread of its own. */
#include "faulty.h"

#include <pthread.h>

static const ccm_ctx* the_ctx;

static void* call(void* unused) {
  ccm_metric metric;
  ccm_interface found = service(CCM_HOST_METRICS);
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_COUNTER;
  metric.name = text("faulty_total");
  if (((const ccm_host_metrics*)found.table)->define(found.self, &metric) != 0) abort();
  found = service(CCM_HOST_CTX);
  ((const ccm_host_ctx*)found.table)->remove_on_cancel(found.self, the_ctx, 1);
  return unused;
}

static void reconcile(void* self, const ccm_ctx* ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  pthread_t thread;
  the_ctx = ctx;
  if (pthread_create(&thread, NULL, call, NULL) == 0) pthread_join(thread, NULL);
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("wrong-thread", setup_nodes, reconcile)
