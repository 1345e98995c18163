/* Fault: makes the body of a patch of a text that it does not quote. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_object* node = cached_node(request->key);
  struct labelling* work = new_labelling(ctx, request, done);
  const ccm_completion written = {labelled, work, 1};
  ccm_str odd;
  ccm_bool quotes;
  (void)self;
  quotes = node != NULL && text_at(node, "/metadata/annotations/example.com~1odd", &odd);
  release(node);
  if (quotes) {
    patch_node(ctx, work->name, "{\"metadata\": {\"annotations\": {\"a\": \"x\"y\"}}}", written);
  } else {
    free(work);
    label_node(self, ctx, request, done);
  }
}

static void begin(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_str field = text("/metadata/annotations");
  watch_fields(&field, 1, NULL);
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("body-is-no-json", begin, reconcile)
