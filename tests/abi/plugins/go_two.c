/* Fault, beside go_one.c: a second Go runtime. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("go-two", "1.0", "\"language\": \"go\", "));
TEST_ENTRY(TEST_GOOD_TABLE)
