/* Fault, beside good.c: its id. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("good", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)
