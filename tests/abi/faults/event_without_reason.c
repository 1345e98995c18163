/* Fault: the reason of its Events is a sentence. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_EVENT);
  const ccm_object* node = cached_node(request->key);
  ccm_event event;
  memset(&event, 0, sizeof(event));
  event.size = sizeof(event);
  event.object = node;
  event.reason = text("the node was seen");
  event.message = text("seen");
  ((const ccm_host_event*)found.table)->record(found.self, &event);
  release(node);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("event-without-reason", setup_labels, reconcile)
