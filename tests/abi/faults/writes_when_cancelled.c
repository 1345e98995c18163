/* Fault: a reconcile that was cancelled leaves a note of it on the Node. */
#define WHEN_LABELLED leave_a_note
#include "labelling.h"

static void noted(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)owner;
  (void)operation;
  (void)status;
  (void)result;
}

static void leave_a_note(struct labelling* work, const ccm_status* status) {
  const ccm_completion done = {noted, NULL, 1};
  const ccm_ctx none = {0};
  if (status->code == CCM_CODE_CANCELLED) {
    patch_node(none, work->name, "{\"metadata\": {\"labels\": {\"faulty/ended\": \"yes\"}}}", done);
  }
  pass_on(work, status);
}
FAULTY_CONTROLLER("writes-when-cancelled", setup_labels, label_node)
