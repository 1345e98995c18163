/* Fault: none: a machine with members that this host does not know. */
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  struct {
    ccm_instance known;
    ccm_str unknown;
  } longer;
  (void)self;
  (void)ctx;
  memset(&longer, 0, sizeof(longer));
  longer.known = machine("node-1", "faulty://1");
  longer.known.size = sizeof(longer);
  longer.unknown.len = 77;
  succeed_with_sound_and(done, &longer.known);
}
FAULTY_LIST("instance-of-the-future", list)
