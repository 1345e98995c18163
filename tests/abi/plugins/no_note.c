/* Fault: no note, so its manifest cannot be read without running it. */
#include "test_plugin.h"

static const ccm_str ccm_plugin_manifest = {TEST_MANIFEST("no-note", "1.0", ""),
                                            sizeof(TEST_MANIFEST("no-note", "1.0", "")) - 1};
TEST_ENTRY(TEST_GOOD_TABLE)
