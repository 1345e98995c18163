/* Fault: cuts the message of a failure in the middle of a letter. */
#define WHEN_LABELLED cut
#include "labelling.h"

static void cut(struct labelling* work, const ccm_status* status) {
  ccm_status shorter = *status;
  if (shorter.message.len > 100) shorter.message.len = 100;
  pass_on(work, &shorter);
}
FAULTY_CONTROLLER("cuts-letters", setup_labels, label_node)
