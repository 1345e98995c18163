/* Fault: the entry returns NULL. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("null-table", "1.0", ""));

CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);
CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) {
  return ccm_plugin_manifest.len == 0 ? (const ccm_plugin*)&ccm_plugin_manifest : NULL;
}
