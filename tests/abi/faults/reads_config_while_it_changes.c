/* No fault: a blocking operation that reads the cloud configuration for longer than that is in
 * force. */
#define FAULTY_NONBLOCKING "false"
#include "faulty.h"

#include <unistd.h>

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  const ccm_interface found = service(CCM_HOST_CONFIG);
  const ccm_host_config* config = (const ccm_host_config*)found.table;
  const ccm_interface host_ctx = service(CCM_HOST_CTX);
  ccm_str before, now;
  char copy[64];
  (void)self;
  if (!config->cloud_config(found.self, &before) || before.len >= sizeof(copy)) {
    end_with(done, CCM_CODE_INTERNAL, "no configuration", NULL);
    return;
  }
  memcpy(copy, before.ptr, before.len);
  do {
    usleep(1000);
    config->cloud_config(found.self, &now);
  } while (now.ptr == before.ptr &&
           !((const ccm_host_ctx*)host_ctx.table)->ended(host_ctx.self, ctx));
  /* The first text must be readable to the end of this operation. */
  usleep(20000);
  if (memcmp(copy, before.ptr, before.len) != 0) abort();
  succeed_with(done, NULL, 0);
}
FAULTY_LIST("reads-config-while-it-changes", list)
