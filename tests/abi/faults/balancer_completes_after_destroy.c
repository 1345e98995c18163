/* Fault: completes an `ensure` again when it is destroyed. */
#include <stddef.h>

static void complete_again(void* self);
#define FAULTY_DESTROY complete_again
#include "faulty_network.h"

static ccm_completion ended_one;

static void complete_again(void* self) {
  (void)self;
  if (ended_one.fn == NULL) return;
  succeed_with_balancer(ended_one, "within-destroy");
}

ENSURE(ensure) {
  UNUSED_ENSURE;
  ended_one = done;
  succeed_with_balancer(done, "first");
}
FAULTY_BALANCERS("balancer-completes-after-destroy", ensure)
