/* Fault: cannot work without a host service that does not exist. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("unknown-need", "1.4",
                                  "\"needs\": [\"ccm.host.log/1\", \"ccm.host.telepathy/7\"], "));
TEST_ENTRY(TEST_GOOD_TABLE)
