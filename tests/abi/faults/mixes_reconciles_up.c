/* Fault: keeps the reconcile that runs in one place, although it asked for several at once. */
#include "labelling.h"

static ccm_completion the_done;

static void ended(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)owner;
  (void)operation;
  (void)result;
  the_done.fn(the_done.owner, the_done.operation, status, NULL);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_completion labelled_one = {ended, NULL, 1};
  struct labelling* work;
  (void)self;
  if (!lacks_label(request->key)) {
    succeed(done, NULL);
    return;
  }
  the_done = done;
  work = new_labelling(ctx, request, done);
  patch_node(ctx, work->name, LABEL_BODY, labelled_one);
  free(work);
}

static void begin(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  ccm_queue_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.workers = 4;
  ((const ccm_host_setup*)found.table)->queue(found.self, &options);
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("mixes-reconciles-up", begin, reconcile)
