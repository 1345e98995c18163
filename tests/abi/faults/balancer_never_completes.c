/* Fault: the first `ensure` is never completed. */
#include "faulty_network.h"

static int calls;

ENSURE(ensure) {
  UNUSED_ENSURE;
  if (++calls > 1) succeed_with_balancer(done, "second");
}
FAULTY_BALANCERS("balancer-never-completes", ensure)
