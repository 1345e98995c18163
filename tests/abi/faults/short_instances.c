/* Fault: a table that ends before its first function. */
#include "faulty.h"

static const ccm_cloud_instances instances = {8, 0, NULL, NULL, NULL, NULL};
FAULTY_PLUGIN("short-instances", "provider", CCM_CLOUD_INSTANCES, &instances)
