/* A plugin that links to a library which ld.so finds by the plugin's run path. */
#include "../plugins/test_plugin.h"

#include <stdlib.h>

int bundled_number(void);

__attribute__((constructor)) static void use_it(void) {
  if (bundled_number() != 42) abort();
}

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("run-path", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)
