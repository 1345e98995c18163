/* Fault: a list with a hole. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  (void)self;
  (void)ctx;
  succeed_with_sound_and(done, NULL);
}
FAULTY_LIST("null-element", list)
