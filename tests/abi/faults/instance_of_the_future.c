/* Fault: none: a machine with members that this host does not know. */
#include "faulty.h"

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
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
