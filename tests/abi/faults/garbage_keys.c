/* Fault: keys, priorities and delays that make no sense. */
#include "faulty.h"

static void map(void* owner, const ccm_watch_event* event) {
  ccm_str nowhere = {NULL, 77};
  (void)owner;
  (void)event;
  add_key(nowhere, 99, INT64_MIN);
  add_key(text("later"), -99, INT64_MAX);
  add_key(text("\xff"), CCM_PRIORITY_CHANGED, 0);
}

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  ccm_queue_options options;
  (void)self;
  (void)request;
  (void)ctx;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.backoff_first_ms = INT64_MAX;
  options.backoff_limit_ms = INT64_MAX;
  options.reconcile_timeout_ms = INT64_MAX;
  ((const ccm_host_setup*)found.table)->queue(found.self, &options);
  watch_nodes(map);
  succeed(done, NULL);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  end_with(done, CCM_CODE_UNAVAILABLE, "\xfe", NULL);
}
FAULTY_CONTROLLER("garbage-keys", setup, reconcile)
