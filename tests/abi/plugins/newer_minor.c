/* No fault: built for a later minor version, but all that it needs is there. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("newer-minor", "1.9", "\"needs\": [\"ccm.host.log/1\"], "));
TEST_ENTRY(.size = sizeof(ccm_plugin), .abi_minor = 9, .create = test_create)
