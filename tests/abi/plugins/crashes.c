/* Fault: dies when it is loaded. */
#include "test_plugin.h"

#include <stdlib.h>

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("crashes", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)

__attribute__((constructor)) static void die(void) { abort(); }
