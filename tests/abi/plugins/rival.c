/* No fault: another provider, with a controller that is named like one of good.c. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(
    "{\"id\": \"test.rival\", \"version\": \"1.0.0\", \"abi\": \"1.0\","
    " \"components\": [{\"kind\": \"provider\", \"name\": \"rival\"},"
    " {\"kind\": \"controller\", \"name\": \"good-sync\"}]}");
TEST_ENTRY(TEST_GOOD_TABLE)
