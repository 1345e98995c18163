/* Fault: the note holds no JSON. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST("id: test.not-json");
TEST_ENTRY(TEST_GOOD_TABLE)
