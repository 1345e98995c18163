/* Fault: its entry never returns. */
#include "test_plugin.h"

#include <unistd.h>

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("hangs", "1.0", ""));

CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);
CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) {
  while (ccm_plugin_manifest.len != 0) pause();
  return NULL;
}
