/* Fault: `open` succeeds without a result. */
#include <ccm/abi/plugin.h>

#include <stddef.h>
#include <stdint.h>

static void open_nothing(void* self, ccm_ctx ctx, const ccm_open_request* request,
                         ccm_completion done);
#define FAULTY_OPEN open_nothing
#include "faulty.h"

static void open_nothing(void* self, ccm_ctx ctx, const ccm_open_request* request,
                         ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed(done, NULL);
}

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  (void)self;
  (void)ctx;
  (void)request;
  all[0] = &one;
  succeed_with(done, all, 1);
}
FAULTY_LIST("open-gives-nothing", list)
