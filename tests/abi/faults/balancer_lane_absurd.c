/* Fault: lanes that cannot be; the Service's name says which one. */
#include "faulty_network.h"

static ccm_bool asked(const ccm_load_balancer_request* request, const char* name) {
  const ccm_str wanted = request->service->name;
  return wanted.len == strlen(name) && memcmp(wanted.ptr, name, wanted.len) == 0;
}

static void lane(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                 ccm_completion done) {
  ccm_load_balancer_lane made;
  (void)self;
  (void)ctx;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  if (asked(request, "ensure-long")) made.lane = long_text();
  if (asked(request, "ensure-bytes")) made.lane = text("\xff\xfe");
  if (asked(request, "ensure-short")) made.size = 8; /* ends before the lane: the Service's own */
  if (asked(request, "ensure-never")) return;
  if (asked(request, "ensure-fails")) {
    end_with(done, 4711, "no lane", NULL);
    return;
  }
  succeed(done, asked(request, "ensure-nothing") ? NULL : &made);
  if (asked(request, "ensure-twice")) succeed(done, &made);
}

ENSURE(ensure) {
  UNUSED_ENSURE;
  succeed_with_balancer(done, "lb-1");
}

static const ccm_cloud_loadbalancers the_balancers = {
    sizeof(the_balancers), 0, observe_sound, ensure, NULL, remove_sound, NULL, lane, NULL};
FAULTY_PLUGIN("balancer-lane-absurd", "provider", CCM_CLOUD_LOADBALANCERS, &the_balancers)
