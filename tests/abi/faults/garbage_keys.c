/* Fault: keys, priorities and delays that make no sense. */
#include "faulty.h"

static void map(void* owner, int32_t kind, const ccm_object* old, const ccm_object* now,
                const ccm_queue* queue) {
  ccm_str nowhere = {NULL, 77};
  (void)owner;
  (void)kind;
  (void)old;
  (void)now;
  queue->add(queue->self, nowhere, 99, INT64_MIN);
  queue->add(queue->self, text("later"), -99, INT64_MAX);
  queue->add(queue->self, text("\xff"), CCM_PRIORITY_CHANGED, 0);
}

static void setup(void* self, const ccm_ctx* ctx, const ccm_host_setup* setup,
                  ccm_completion done) {
  ccm_queue_options options;
  (void)self;
  (void)ctx;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.backoff_first_ms = INT64_MAX;
  options.backoff_limit_ms = INT64_MAX;
  options.reconcile_timeout_ms = INT64_MAX;
  setup->queue(setup->self, &options);
  watch_nodes(setup, map);
  succeed(done, NULL);
}

static void reconcile(void* self, const ccm_ctx* ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  end_with(done, CCM_CODE_UNAVAILABLE, "\xfe", NULL);
}
FAULTY_CONTROLLER("garbage-keys", setup, reconcile)
