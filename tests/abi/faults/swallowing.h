/* A controller that takes a failed write for done, and remembers that: SWALLOWED(status) says which
 * failures. Only a new start makes it try again. */
#define WHEN_LABELLED swallow
#include "labelling.h"

static char swallowed_names[100][300];
static int swallowed_count;

static void swallow(struct labelling* work, const ccm_status* status) {
  ccm_status none;
  if (status->code == CCM_CODE_OK || !(SWALLOWED(status)) || swallowed_count == 100) {
    pass_on(work, status);
    return;
  }
  memcpy(swallowed_names[swallowed_count++], work->name, sizeof(work->name));
  memset(&none, 0, sizeof(none));
  none.size = sizeof(none);
  pass_on(work, &none);
}

static void label_once(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                       ccm_completion done) {
  for (int i = 0; i < swallowed_count; ++i) {
    if (!same_text(request->key, swallowed_names[i])) continue;
    succeed(done, NULL);
    return;
  }
  label_node(self, ctx, request, done);
}

/* A new start knows nothing of it. */
static void setup_and_forget(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                             ccm_completion done) {
  swallowed_count = 0;
  setup_labels(self, ctx, request, done);
}
