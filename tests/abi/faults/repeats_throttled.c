/* Fault: repeats a call that was THROTTLED at once. */
#define WHEN_LABELLED repeat
#include "labelling.h"

static void repeat(struct labelling* work, const ccm_status* status) {
  if (status->error_class == CCM_CLASS_THROTTLED && work->attempts++ < 3) {
    begin_label(work);
  } else {
    pass_on(work, status);
  }
}
FAULTY_CONTROLLER("repeats-throttled", setup_labels, label_node)
