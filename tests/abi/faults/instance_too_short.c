/* Fault: a machine whose struct ends before its name. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  ccm_instance faulty = machine("node-1", "faulty://1");
  (void)self;
  (void)ctx;
  faulty.size = 8;
  succeed_with_sound_and(done, &faulty);
}
FAULTY_LIST("instance-too-short", list)
