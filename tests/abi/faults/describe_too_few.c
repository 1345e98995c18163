/* Fault: describes too few machines. */
#include "faulty.h"

static void describe(void* self, const ccm_ctx* ctx, const ccm_node_identity* const* nodes,
                     size_t count, ccm_completion done) {
  const ccm_instance other = machine("other", "faulty://other");
  const ccm_instance* all[3];
  (void)self;
  (void)ctx;
  (void)nodes;
  (void)count;
  all[0] = all[1] = all[2] = &other;
  succeed_with(done, all, 0);
}

static const ccm_cloud_instances instances = {sizeof(instances), 0, NULL, describe, NULL};
FAULTY_PLUGIN("describe-too-few", "provider", CCM_CLOUD_INSTANCES, &instances)
