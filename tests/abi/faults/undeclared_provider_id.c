/* Fault: a provider ID with another prefix than the manifest declares. */
#define FAULTY_COMPONENT ", \"providerIDPrefixes\": [\"faulty://\"]"
#include "faulty.h"

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  const ccm_instance faulty = machine("node-1", "other://1");
  (void)self;
  (void)ctx;
  succeed_with_sound_and(done, &faulty);
}
FAULTY_LIST("undeclared-provider-id", list)
