// Fault: an exception leaves `reconcile`.
#include "faulty.h"

static void reconcile(void*, ccm_ctx, const ccm_reconcile_request*, ccm_completion) { throw 42; }
FAULTY_CONTROLLER("throws-in-reconcile", setup_nodes, reconcile)
