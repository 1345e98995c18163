/* Fault: a string of 77 bytes at NULL. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  ccm_instance faulty = machine("node-1", "faulty://1");
  (void)self;
  (void)ctx;
  faulty.zone.len = 77;
  succeed_with_sound_and(done, &faulty);
}
FAULTY_LIST("null-string", list)
