/* Fault: unknown prefixes that are no text: one of NULL is empty, all machines. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  const ccm_instance one = machine("sound", "faulty://sound");
  const ccm_instance* all[1];
  ccm_instance_list made;
  ccm_str prefixes[2];
  (void)self;
  (void)ctx;
  (void)request;
  all[0] = &one;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.instances = all;
  made.count = 1;
  prefixes[0].ptr = NULL;
  prefixes[0].len = (size_t)0xdeadbeefdeadbeef;
  prefixes[1] = text("\xff\xfe");
  made.unknown_prefixes = prefixes;
  made.unknown_prefix_count = 2;
  succeed(done, &made);
}
FAULTY_LIST("garbage-prefixes", list)
