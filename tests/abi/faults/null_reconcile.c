/* Fault: a controller without `reconcile`. */
#include "faulty.h"

FAULTY_CONTROLLER("null-reconcile", setup_nodes, NULL)
