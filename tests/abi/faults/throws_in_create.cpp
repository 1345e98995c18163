// Fault: an exception leaves `create`.
#include <ccm/abi/plugin.h>

static void throwing(void*, ccm_ctx, const ccm_create_request*, ccm_completion) { throw 42; }
#define FAULTY_CREATE throwing
#include "faulty.h"

FAULTY_LIST("throws-in-create", list_nothing)
