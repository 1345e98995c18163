/* Fault: a component that cannot be destroyed. */
#define FAULTY_DESTROY NULL
#include "faulty.h"

FAULTY_LIST("no-destroy", list_nothing)
