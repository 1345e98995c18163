/* Fault: an operation that is completed a second time, with another outcome. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  const ccm_instance first = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  (void)self;
  (void)ctx;
  all[0] = &first;
  succeed_with(done, all, 1);
  end_with(done, CCM_CODE_INTERNAL, "the second completion", NULL);
}
FAULTY_LIST("list-completes-twice", list)
