/* Fault: calls a [create] function from a thread of its own, and one for workers on the loop. */
#include "faulty.h"

#include <pthread.h>

static void* call(void* unused) {
  ccm_metric metric;
  ccm_interface found = service(CCM_HOST_METRICS);
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_COUNTER;
  metric.name = text("faulty_total");
  if (((const ccm_host_metrics*)found.table)->define(found.self, &metric) != 0) abort();
  return unused;
}

static void refused(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)operation;
  (void)result;
  if (status->code != CCM_CODE_FAILED_PRECONDITION) abort();
  *(int*)owner = 1;
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_HTTP);
  ccm_http_request wanted;
  ccm_completion ended;
  int ends = 0;
  pthread_t thread;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.url = text("http://192.0.2.1/");
  ended.fn = refused;
  ended.owner = &ends;
  ended.operation = 0;
  ((const ccm_host_http*)found.table)->send_wait(found.self, ctx, &wanted, ended);
  if (ends == 0) abort();
  if (pthread_create(&thread, NULL, call, NULL) == 0) pthread_join(thread, NULL);
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("wrong-thread", setup_nodes, reconcile)
