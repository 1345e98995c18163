/* Fault: limits of instances that cannot be. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  (void)self;
  (void)ctx;
  (void)request;
  all[0] = &one;
  succeed_with(done, all, 1);
}

static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                   ccm_completion done) {
  ccm_instance_limits made;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.timeout_ms = INT64_MIN;
  made.list_timeout_ms = INT64_MAX;
  made.batch = -1;
  made.parallel = INT64_MIN;
  succeed(done, &made);
}
static const ccm_cloud_instances the_instances = {
    sizeof(the_instances), 0, list, NULL, NULL, limits};
FAULTY_PLUGIN("list-limits-absurd", "provider", CCM_CLOUD_INSTANCES, &the_instances)
