// Fault: an exception leaves `setup`.
#include "faulty.h"

static void setup(void*, const ccm_ctx*, const ccm_host_setup*, ccm_completion) { throw 42; }
FAULTY_CONTROLLER("throws-in-setup", setup, reconcile_nothing)
