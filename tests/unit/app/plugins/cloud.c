/* The provider TEST_CLOUD with a controller and a flag of its own. */
#include "selectable.h"

SELECTABLE_PLUGIN("{\"id\": \"test." TEST_CLOUD
                  "\", \"version\": \"1.0.0\", \"abi\": \"1.0\",\n"
                  " \"components\": [{\"kind\": \"provider\", \"name\": \"" TEST_CLOUD
                  "\"},\n"
                  "  {\"kind\": \"controller\", \"name\": \"" TEST_CLOUD
                  "-tags\"}],\n"
                  " \"options\": {\"" TEST_CLOUD
                  "-colour\": {\"type\": \"string\", \"description\": \"a colour\"}}}")
