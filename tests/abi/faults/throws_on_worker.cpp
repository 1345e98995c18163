// Fault: an exception leaves a blocking operation, on a worker thread.
#define FAULTY_NONBLOCKING "false"
#include "faulty.h"

#include <stdexcept>

static void list(void*, ccm_ctx, const ccm_list_instances_request*, ccm_completion) {
  throw std::runtime_error("out of ideas");
}
FAULTY_LIST("throws-on-worker", list)
