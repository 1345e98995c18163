/* Fault: only the entry of another major version. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("wrong-entry", "1.0", ""));
#define ccm_plugin_v1 ccm_plugin_v2
TEST_ENTRY(TEST_GOOD_TABLE)
