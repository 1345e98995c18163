/* Fault: its first reconcile after a start writes, although nothing has changed. */
#define FAULTY_DESTROY begin_again
#include <stddef.h>
static int started;
static void begin_again(void* self) {
  (void)self;
  started = 0;
}
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  static unsigned starts;
  struct labelling* work;
  ccm_completion written;
  char body[100];
  if (started || lacks_label(request->key) || cached_node(request->key) == NULL) {
    label_node(self, ctx, request, done);
    return;
  }
  release(cached_node(request->key));
  started = 1;
  work = new_labelling(ctx, request, done);
  written.fn = labelled;
  written.owner = work;
  written.operation = 1;
  snprintf(body, sizeof(body), "{\"metadata\": {\"labels\": {\"faulty/start\": \"%u\"}}}",
           ++starts);
  patch_node(ctx, work->name, body, written);
}
FAULTY_CONTROLLER("writes-at-each-start", setup_labels, reconcile)
