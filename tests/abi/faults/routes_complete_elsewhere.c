/* No fault: completed from a thread of the plugin's own, which ends in destroy. */
#include "faulty_thread.h"

static void* complete(void* unused) {
  succeed_with_changes(open_one, asked_changes);
  return unused;
}

APPLY(apply) {
  UNUSED_APPLY;
  complete_elsewhere(done, complete);
}
FAULTY_ROUTES("routes-complete-elsewhere", list_sound, apply)
