/* Fault: a controller without `reconcile`. */
#include "faulty.h"

FAULTY_CONTROLLER_TABLE("null-reconcile", setup_nodes, NULL, NULL)
