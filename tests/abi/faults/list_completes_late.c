/* Fault: the first operation is completed while the second runs, long after its deadline. */
#include "faulty.h"

static ccm_completion first;

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  (void)self;
  (void)ctx;
  all[0] = &one;
  if (first.fn == NULL) {
    first = done;
    return;
  }
  end_with(first, CCM_CODE_INTERNAL, "the late completion", NULL);
  succeed_with(done, all, 1);
}
FAULTY_LIST("list-completes-late", list)
