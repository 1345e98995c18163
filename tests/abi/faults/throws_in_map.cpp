// Fault: an exception leaves the function that maps events to keys.
#include "faulty.h"

static void map(void*, int32_t, const ccm_object*, const ccm_object*, const ccm_queue*) {
  throw 42;
}

static void setup(void*, const ccm_ctx*, const ccm_host_setup* setup, ccm_completion done) {
  watch_nodes(setup, map);
  succeed(done, nullptr);
}
FAULTY_CONTROLLER("throws-in-map", setup, reconcile_nothing)
