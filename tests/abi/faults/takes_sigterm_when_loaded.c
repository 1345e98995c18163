/* Fault: takes SIGTERM from the host as soon as its image is there. */
#include "faulty.h"

#include <signal.h>

static void forget(int number) { (void)number; }

__attribute__((constructor)) static void take(void) { signal(SIGTERM, forget); }

FAULTY_CONTROLLER("takes-sigterm-when-loaded", setup_nodes, reconcile_nothing)
