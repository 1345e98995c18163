/* A provider whose cloud resources carry no cluster id; it says so. */
#include "faulty.h"

static ccm_bool has_none(void* self) {
  (void)self;
  return 0;
}
static const ccm_provider provider = {sizeof(provider), 0, NULL, has_none, NULL};
FAULTY_PLUGIN("no-cluster-id", "provider", CCM_PROVIDER, &provider)
