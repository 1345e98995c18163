/* Fault: each `ensure` is completed twice, with different load balancers. */
#include "faulty_network.h"

ENSURE(ensure) {
  UNUSED_ENSURE;
  succeed_with_balancer(done, "first");
  succeed_with_balancer(done, "second");
}
FAULTY_BALANCERS("balancer-completes-twice", ensure)
