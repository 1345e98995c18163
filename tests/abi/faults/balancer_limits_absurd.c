/* Fault: limits that cannot be. */
#include "faulty_network.h"

static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                   ccm_completion done) {
  ccm_load_balancer_limits made;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.load_balancers = INT64_MIN;
  made.backends = -1;
  made.id_annotation = text("\xff\xfe");
  made.timeout_ms = INT64_MAX;
  made.parallel = INT64_MIN;
  succeed(done, &made);
}

ENSURE(ensure) {
  UNUSED_ENSURE;
  succeed_with_balancer(done, "lb-1");
}

static const ccm_cloud_loadbalancers the_balancers = {
    sizeof(the_balancers), 0, observe_sound, ensure, NULL, remove_sound, NULL, NULL, limits};
FAULTY_PLUGIN("balancer-limits-absurd", "provider", CCM_CLOUD_LOADBALANCERS, &the_balancers)
