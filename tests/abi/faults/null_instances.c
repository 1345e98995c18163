/* Fault: an interface that is there, with no table. */
#include "faulty.h"

FAULTY_PLUGIN("null-instances", "provider", CCM_CLOUD_INSTANCES, NULL)
