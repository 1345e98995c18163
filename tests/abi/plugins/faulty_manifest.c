/* Fault: a component of an unknown kind. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(
    "{\"id\": \"test.faulty-manifest\", \"version\": \"1.0.0\", \"abi\": \"1.0\","
    " \"components\": [{\"kind\": \"gadget\", \"name\": \"faulty\"}]}");
TEST_ENTRY(TEST_GOOD_TABLE)
