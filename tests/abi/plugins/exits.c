/* Fault: ends the process that loads it. */
#include "test_plugin.h"

#include <stdlib.h>

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("exits", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)

__attribute__((constructor)) static void leave(void) { exit(0); }
