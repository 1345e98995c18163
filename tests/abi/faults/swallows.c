/* A controller that takes one kind of failed write for done, and never tries again: only a new
 * start makes it do so. */
#define FAULTY_TABLE
#define WHEN_LABELLED swallow
#include "labelling.h"
#include "names.h"

/* The code, or the class, that it swallows; 0 = it asks for the other one. */
struct swallowing {
  struct fault fault;
  int32_t code;
  int32_t error_class;
};

static struct swallowing faults[] = {
    {{"swallows_cancellation", NULL}, CCM_CODE_CANCELLED, 0},
    {{"swallows_deadline", NULL}, CCM_CODE_DEADLINE_EXCEEDED, 0},
    {{"swallows_internal_error", NULL}, CCM_CODE_INTERNAL, 0},
    {{"swallows_lost_lease", NULL}, CCM_CODE_FAILED_PRECONDITION, 0},
    {{"swallows_conflict", NULL}, 0, CCM_CLASS_CONFLICT},
    {{"swallows_no_answer", NULL}, 0, CCM_CLASS_UNAVAILABLE},
    {{"swallows_refusal", NULL}, 0, CCM_CLASS_INVALID_SPEC},
    {{"swallows_refused_credential", NULL}, 0, CCM_CLASS_AUTH},
    {{"swallows_throttling", NULL}, 0, CCM_CLASS_THROTTLED},
};

static struct names swallowed;

static void swallow(struct labelling* work, const ccm_status* status) {
  const struct swallowing* row = (const struct swallowing*)the_row;
  const ccm_bool taken_for_done =
      row->code != 0 ? status->code == row->code : status->error_class == row->error_class;
  ccm_status none;
  if (status->code == CCM_CODE_OK || !taken_for_done) {
    pass_on(work, status);
    return;
  }
  add_name(&swallowed, text(work->name));
  memset(&none, 0, sizeof(none));
  none.size = sizeof(none);
  pass_on(work, &none);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  if (find_name(&swallowed, request->key) != NULL) {
    succeed(done, NULL);
    return;
  }
  label_node(self, ctx, request, done);
}

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  memset(&swallowed, 0, sizeof(swallowed));
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("swallows", setup, reconcile)
