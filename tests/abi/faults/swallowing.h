/* A controller that takes a failed write for done, and remembers that: SWALLOWED(status) says which
 * failures. Only a new start makes it try again. */
#define WHEN_LABELLED swallow
#include "labelling.h"
#include "names.h"

static struct names swallowed;

static void swallow(struct labelling* work, const ccm_status* status) {
  ccm_status none;
  if (status->code == CCM_CODE_OK || !(SWALLOWED(status))) {
    pass_on(work, status);
    return;
  }
  add_name(&swallowed, text(work->name));
  memset(&none, 0, sizeof(none));
  none.size = sizeof(none);
  pass_on(work, &none);
}

static void label_once(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                       ccm_completion done) {
  if (find_name(&swallowed, request->key) != NULL) {
    succeed(done, NULL);
    return;
  }
  label_node(self, ctx, request, done);
}

/* A new start knows nothing of it. */
static void setup_and_forget(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                             ccm_completion done) {
  memset(&swallowed, 0, sizeof(swallowed));
  setup_labels(self, ctx, request, done);
}
