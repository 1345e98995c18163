// Fault: an exception leaves the function that maps events to keys.
#include "faulty.h"

static void map(void*, const ccm_watch_event*) { throw 42; }

static void setup(void*, ccm_ctx, const ccm_setup_request*, ccm_completion done) {
  watch_nodes(map);
  succeed(done, nullptr);
}
FAULTY_CONTROLLER("throws-in-map", setup, reconcile_nothing)
