/* Fault: the first `apply` is completed while the second runs, long after its turn was taken. */
#include "faulty_network.h"

static ccm_completion first;

APPLY(apply) {
  UNUSED_APPLY;
  if (first.fn == NULL) {
    first = done;
    return;
  }
  if (first.operation != 0) succeed_with_changes(first, 1);
  first.operation = 0;
  succeed_with_changes(done, asked_changes);
}
FAULTY_ROUTES("routes-complete-late", list_sound, apply)
