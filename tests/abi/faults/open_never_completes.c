/* Fault: never completes `open`. */
#include <ccm/abi/plugin.h>

#include <stddef.h>
#include <stdint.h>

static void open_never(void* self, ccm_ctx ctx, const ccm_open_request* request,
                       ccm_completion done);
#define FAULTY_OPEN open_never
#include "faulty.h"

static void open_never(void* self, ccm_ctx ctx, const ccm_open_request* request,
                       ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  (void)done;
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
FAULTY_LIST("open-never-completes", list)
