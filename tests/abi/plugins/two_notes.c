/* Fault: a second manifest, so that nobody can tell which one counts. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("two-notes", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)
#define ccm_plugin_note second_note
#define ccm_plugin_manifest second_manifest
#define ccm_plugin_manifest_length second_manifest_length
CCM_PLUGIN_MANIFEST(TEST_MANIFEST("two-notes", "1.0", "\"nonblocking\": true, "));

CCM_PLUGIN_EXPORT const ccm_str* ccm_plugin_v2(void);
CCM_PLUGIN_EXPORT const ccm_str* ccm_plugin_v2(void) { return &second_manifest; }
