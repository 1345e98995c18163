/* Fault: answers the question for its limits with nothing. */
#include "faulty_network.h"

static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                   ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed(done, NULL);
}

ENSURE(ensure) {
  UNUSED_ENSURE;
  succeed_with_balancer(done, "lb-1");
}

static const ccm_cloud_loadbalancers the_balancers = {
    sizeof(the_balancers), 0, observe_sound, ensure, NULL, remove_sound, NULL, NULL, limits};
FAULTY_PLUGIN("balancer-limits-missing", "provider", CCM_CLOUD_LOADBALANCERS, &the_balancers)
