/* Fault: takes a reconcile that was cancelled for an open one, and completes it in destroy. */
#define WHEN_LABELLED remember
#define FAULTY_DESTROY complete_the_cancelled
static void complete_the_cancelled(void* self);
#include "labelling.h"

static ccm_completion cancelled;

static void remember(struct labelling* work, const ccm_status* status) {
  if (status->code == CCM_CODE_CANCELLED) cancelled = work->done;
  pass_on(work, status);
}

static void complete_the_cancelled(void* self) {
  (void)self;
  if (cancelled.fn == NULL) return;
  end_with(cancelled, CCM_CODE_CANCELLED, "the component ends", NULL);
  cancelled.fn = NULL;
}
FAULTY_CONTROLLER("completes-cancelled-in-destroy", setup_labels, label_node)
