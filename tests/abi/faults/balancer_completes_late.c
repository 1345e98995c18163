/* Fault: the first `ensure` is completed while the second runs, long after its turn was taken. */
#include "faulty_network.h"

static ccm_completion first;

ENSURE(ensure) {
  UNUSED_ENSURE;
  if (first.fn == NULL) {
    first = done;
    return;
  }
  succeed_with_balancer(first, "late");
  succeed_with_balancer(done, "in-time");
}
FAULTY_BALANCERS("balancer-completes-late", ensure)
