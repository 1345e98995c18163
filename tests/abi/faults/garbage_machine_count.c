/* Fault: a count of machines that was never set. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  ccm_instance_list made;
  (void)self;
  (void)ctx;
  (void)request;
  all[0] = &one;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.instances = all;
  made.count = (size_t)0xdeadbeefdeadbeef;
  succeed(done, &made);
}
FAULTY_LIST("garbage-machine-count", list)
