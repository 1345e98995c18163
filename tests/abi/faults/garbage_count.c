/* Fault: a count of addresses that was never set. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  static const ccm_node_address address;
  ccm_instance faulty = machine("node-1", "faulty://1");
  (void)self;
  (void)ctx;
  faulty.addresses = &address;
  faulty.address_count = (size_t)0xdeadbeefdeadbeef;
  succeed_with_sound_and(done, &faulty);
}
FAULTY_LIST("garbage-count", list)
