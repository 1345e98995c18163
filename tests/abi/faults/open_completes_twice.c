/* Fault: completes `open` twice. */
#include <ccm/abi/plugin.h>

#include <stddef.h>
#include <stdint.h>

static void open_twice(void* self, ccm_ctx ctx, const ccm_open_request* request,
                       ccm_completion done);
#define FAULTY_OPEN open_twice
#include "faulty.h"

static void open_twice(void* self, ccm_ctx ctx, const ccm_open_request* request,
                       ccm_completion done) {
  ccm_opened opened;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&opened, 0, sizeof(opened));
  opened.size = sizeof(opened);
  succeed(done, &opened);
  end_with(done, CCM_CODE_INTERNAL, "once more", NULL);
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
FAULTY_LIST("open-completes-twice", list)
