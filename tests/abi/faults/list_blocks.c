/* Fault: a listing that blocks its thread for ever, as one does that waits for a cloud without a
 * time limit. */
#define FAULTY_NONBLOCKING "false"
#include "faulty.h"

#include <unistd.h>

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  (void)self;
  (void)ctx;
  (void)done;
  for (;;) pause();
}
FAULTY_LIST("list-blocks", list)
