/* No fault: a provider and a controller with an alias, a need and an option. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(
    "{\"id\": \"test.good\", \"version\": \"1.2.3\", \"abi\": \"1.0\", \"language\": \"c\",\n"
    " \"needs\": [\"ccm.host.log/1\"],\n"
    " \"components\": [{\"kind\": \"provider\", \"name\": \"good\"},\n"
    "  {\"kind\": \"controller\", \"name\": \"good-sync\", \"aliases\": [\"sync\"],\n"
    "   \"enabledByDefault\": false}],\n"
    " \"options\": {\"good-speed\": {\"type\": \"integer\", \"default\": 3,\n"
    "  \"description\": \"how fast\"}}}");
TEST_ENTRY(TEST_GOOD_TABLE)
