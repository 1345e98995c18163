/* No fault: completed from a thread of the plugin's own, which ends in destroy. */
#include "faulty_thread.h"

static void* complete(void* unused) {
  succeed_with_balancer(open_one, "elsewhere");
  return unused;
}

ENSURE(ensure) {
  UNUSED_ENSURE;
  complete_elsewhere(done, complete);
}
FAULTY_BALANCERS("balancer-completes-elsewhere", ensure)
