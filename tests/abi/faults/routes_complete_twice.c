/* Fault: each `apply` is completed twice, the second time as a failure. */
#include "faulty_network.h"

APPLY(apply) {
  UNUSED_APPLY;
  succeed_with_changes(done, asked_changes);
  end_with(done, CCM_CODE_INTERNAL, "once more", NULL);
}
FAULTY_ROUTES("routes-complete-twice", list_sound, apply)
