/* Fault, beside good.c: a controller that is named as an alias there. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(
    "{\"id\": \"test.same-controller\", \"version\": \"1.0.0\", \"abi\": \"1.0\","
    " \"components\": [{\"kind\": \"controller\", \"name\": \"sync\"}]}");
TEST_ENTRY(TEST_GOOD_TABLE)
