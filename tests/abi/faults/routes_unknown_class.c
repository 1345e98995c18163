/* Fault: the outcome of a change has a class and a code that nobody knows. */
#include "faulty_network.h"

APPLY(apply) {
  ccm_status status;
  const ccm_status* all[1];
  ccm_route_results results;
  UNUSED_APPLY;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = -1;
  status.error_class = 4711;
  status.message = text("of the future");
  all[0] = &status;
  memset(&results, 0, sizeof(results));
  results.size = sizeof(results);
  results.statuses = all;
  results.count = 1;
  succeed(done, &results);
}
FAULTY_ROUTES("routes-unknown-class", list_sound, apply)
