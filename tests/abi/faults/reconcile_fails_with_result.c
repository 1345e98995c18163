/* Fault: a reconcile that fails has a result. */
#define WHEN_LABELLED end_with_result
#include "labelling.h"

static void end_with_result(struct labelling* work, const ccm_status* status) {
  static ccm_reconcile_result result;
  result.size = sizeof(result);
  result.requeue_after_ms = 1000;
  if (status->code == CCM_CODE_OK) {
    pass_on(work, status);
  } else {
    work->done.fn(work->done.owner, work->done.operation, status, &result);
    free(work);
  }
}
FAULTY_CONTROLLER("reconcile-fails-with-result", setup_labels, label_node)
