/* Fault: a name that is no UTF-8. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  const ccm_instance faulty = machine("node-\xff\xfe", "faulty://1");
  (void)self;
  (void)ctx;
  succeed_with_sound_and(done, &faulty);
}
FAULTY_LIST("garbage-name", list)
