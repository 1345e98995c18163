/* Fault: a count of addresses without addresses. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  ccm_instance faulty = machine("node-1", "faulty://1");
  (void)self;
  (void)ctx;
  faulty.addresses = NULL;
  faulty.address_count = 2;
  succeed_with_sound_and(done, &faulty);
}
FAULTY_LIST("null-addresses", list)
