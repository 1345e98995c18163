/* Fault: holds the host's loop for a while when a key comes twice in a row. */
#include "labelling.h"

#include <unistd.h>

static char last[300];

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const size_t length = request->key.len < sizeof(last) - 1 ? request->key.len : sizeof(last) - 1;
  if (same_text(request->key, last)) usleep(80000);
  memset(last, 0, sizeof(last));
  memcpy(last, request->key.ptr, length);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("holds-the-loop", setup_labels, reconcile)
