/* Fault: a controller's table that ends before `reconcile`. */
#include "faulty.h"

static const ccm_controller controller = {offsetof(ccm_controller, reconcile), 0, setup_nodes,
                                          reconcile_nothing, NULL};
FAULTY_PLUGIN("short-controller", "controller", CCM_CONTROLLER, &controller)
