/* Fault: what runs says something else than what was checked. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("manifest-mismatch", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE, .manifest = {ccm_plugin_note.text, sizeof(ccm_plugin_note.text) / 2})
