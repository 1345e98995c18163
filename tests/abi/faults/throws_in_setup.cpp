// Fault: an exception leaves `setup`.
#include "faulty.h"

static void setup(void*, ccm_ctx, const ccm_setup_request*, ccm_completion) { throw 42; }
FAULTY_CONTROLLER("throws-in-setup", setup, reconcile_nothing)
