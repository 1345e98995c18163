/* A controller of no cloud. */
#include "selectable.h"

SELECTABLE_PLUGIN(
    "{\"id\": \"test.plain\", \"version\": \"1.0.0\", \"abi\": \"1.0\",\n"
    " \"components\": [{\"kind\": \"controller\", \"name\": \"plain-controller\"}]}")
