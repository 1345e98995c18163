/* Fault: no `create`. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("null-create", "1.0", ""));
TEST_ENTRY(.size = sizeof(ccm_plugin))
