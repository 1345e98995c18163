/* Fault: a table that ends before `create`. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("short-table", "1.0", ""));
TEST_ENTRY(.size = offsetof(ccm_plugin, create), .create = test_create)
