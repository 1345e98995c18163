/* Fault: a count of unknown prefixes that was never set. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  const ccm_instance one = machine("sound", "faulty://sound");
  const ccm_instance* all[1];
  ccm_instance_list made;
  static const ccm_str prefix;
  (void)self;
  (void)ctx;
  (void)request;
  all[0] = &one;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.instances = all;
  made.count = 1;
  made.unknown_prefixes = &prefix;
  made.unknown_prefix_count = (size_t)0xdeadbeefdeadbeef;
  succeed(done, &made);
}
FAULTY_LIST("garbage-prefix-count", list)
