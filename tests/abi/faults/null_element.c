/* Fault: a list with a hole. */
#include "faulty.h"

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  (void)self;
  (void)ctx;
  succeed_with_sound_and(done, NULL);
}
FAULTY_LIST("null-element", list)
