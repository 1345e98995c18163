/* Fault: the first `apply` is never completed. */
#include "faulty_network.h"

static int calls;

APPLY(apply) {
  UNUSED_APPLY;
  if (++calls > 1) succeed_with_changes(done, 1);
}
FAULTY_ROUTES("routes-never-complete", list_sound, apply)
