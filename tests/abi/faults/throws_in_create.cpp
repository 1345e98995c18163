// Fault: an exception leaves `create`.
#include <ccm/abi/plugin.h>

static void throwing(const ccm_host*, ccm_str, ccm_completion) { throw 42; }
#define FAULTY_CREATE throwing
#include "faulty.h"

FAULTY_LIST("throws-in-create", nullptr)
