/* No fault: completed from a thread of the plugin's own, which ends in destroy. */
#include "faulty_thread.h"

static void* complete(void* unused) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  all[0] = &one;
  succeed_with(open_one, all, 1);
  return unused;
}

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  (void)self;
  (void)ctx;
  complete_elsewhere(done, complete);
}
FAULTY_LIST("list-completes-elsewhere", list)
