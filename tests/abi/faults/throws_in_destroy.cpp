// Fault: an exception leaves `destroy`.
static void throwing(void*) { throw 42; }
#define FAULTY_DESTROY throwing
#include "faulty.h"

static void list(void*, ccm_ctx, const ccm_list_instances_request*, ccm_completion done) {
  succeed_with(done, nullptr, 0);
}
FAULTY_LIST("throws-in-destroy", list)
