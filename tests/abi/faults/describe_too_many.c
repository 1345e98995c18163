/* Fault: describes too many machines. */
#include "faulty.h"

static void describe(void* self, ccm_ctx ctx, const ccm_describe_instances_request* request,
                     ccm_completion done) {
  const ccm_instance other = machine("other", "faulty://other");
  const ccm_instance* all[3];
  (void)self;
  (void)ctx;
  (void)request;
  all[0] = all[1] = all[2] = &other;
  succeed_with(done, all, 3);
}

static const ccm_cloud_instances instances = {sizeof(instances), 0, NULL, describe, NULL, NULL};
FAULTY_PLUGIN("describe-too-many", "provider", CCM_CLOUD_INSTANCES, &instances)
