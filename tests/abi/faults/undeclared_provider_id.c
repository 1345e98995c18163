/* Fault: a provider ID with another prefix than the manifest declares. */
#define FAULTY_COMPONENT ", \"providerIDPrefixes\": [\"faulty://\"]"
#include "faulty.h"

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  const ccm_instance faulty = machine("node-1", "other://1");
  (void)self;
  (void)ctx;
  succeed_with_sound_and(done, &faulty);
}
FAULTY_LIST("undeclared-provider-id", list)
