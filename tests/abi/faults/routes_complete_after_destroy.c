/* Fault: completes an `apply` again when it is destroyed. */
#include <stddef.h>

static void complete_again(void* self);
#define FAULTY_DESTROY complete_again
#include "faulty_network.h"

static ccm_completion ended_one;

static void complete_again(void* self) {
  (void)self;
  if (ended_one.fn == NULL) return;
  succeed_with_changes(ended_one, asked_changes);
}

APPLY(apply) {
  UNUSED_APPLY;
  ended_one = done;
  succeed_with_changes(done, asked_changes);
}
FAULTY_ROUTES("routes-complete-after-destroy", list_sound, apply)
