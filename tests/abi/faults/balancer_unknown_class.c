/* Fault: fails with a class and a code that nobody knows, and a message of 10 MB. */
#include "faulty_network.h"

ENSURE(ensure) {
  ccm_status status;
  UNUSED_ENSURE;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = 4711;
  status.error_class = 4711;
  status.retry_after_ms = -5;
  status.reason = text("OfTheFuture");
  status.message = long_text();
  done.fn(done.owner, done.operation, &status, NULL);
}
FAULTY_BALANCERS("balancer-unknown-class", ensure)
