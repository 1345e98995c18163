/* Fault: a count of unknown prefixes without a list. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  const ccm_instance one = machine("sound", "faulty://sound");
  const ccm_instance* all[1];
  ccm_instance_list made;
  (void)self;
  (void)ctx;
  (void)request;
  all[0] = &one;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.instances = all;
  made.count = 1;
  made.unknown_prefix_count = 3;
  succeed(done, &made);
}
FAULTY_LIST("null-prefixes", list)
