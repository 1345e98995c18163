/* No fault: a table from the future, with a member that this host does not know. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("longer-table", "1.0", ""));

CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);
CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) {
  static struct {
    ccm_plugin known;
    void (*unknown)(void);
  } plugin = {.known = {TEST_GOOD_TABLE}};
  plugin.known.size = sizeof(plugin);
  plugin.known.manifest = ccm_plugin_manifest;
  return &plugin.known;
}
