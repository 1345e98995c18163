/* No fault: texts with control characters (C0, C1, DEL), and an option that is a secret. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(
    "{\"id\": \"test.steers\", \"version\": \"1.0.0\", \"abi\": \"1.0\",\n"
    " \"vendor\": \"\\u001b[31m\\u0007\\u007f\", \"description\": \"\\u009b31m red \\u0085 \\u00e9 "
    "\xc2\x9b\",\n"
    " \"components\": [{\"kind\": \"controller\", \"name\": \"steers\", \"enabledByDefault\": "
    "false}],\n"
    " \"options\": {\"steers-key\": {\"type\": \"string\", \"secret\": true, \"description\": \"a "
    "\\u0090key\"}}}");
TEST_ENTRY(TEST_GOOD_TABLE)
