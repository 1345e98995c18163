/* Fault: a name that is no UTF-8. */
#include "faulty.h"

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  const ccm_instance faulty = machine("node-\xff\xfe", "faulty://1");
  (void)self;
  (void)ctx;
  succeed_with_sound_and(done, &faulty);
}
FAULTY_LIST("garbage-name", list)
