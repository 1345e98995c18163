/* Fault: a manifest for another major version. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("wrong-major", "2.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)
