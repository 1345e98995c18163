/* Fault: reads each Node from the server, and does nothing when the status is larger than it knows.
 */
#include "labelling.h"

static void read_whole(void* owner, uint64_t operation, const ccm_status* status,
                       const void* result) {
  struct labelling* work = (struct labelling*)owner;
  (void)operation;
  (void)result;
  if (status->code != CCM_CODE_OK) {
    pass_on(work, status);
  } else if (status->size != sizeof(*status)) {
    succeed(work->done, NULL);
    free(work);
  } else {
    begin_label(work);
  }
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface kube = service(CCM_HOST_KUBE);
  ccm_completion answered = {read_whole, NULL, 1};
  ccm_kube_reference node;
  ccm_kube_get_request wanted;
  (void)self;
  if (!lacks_label(request->key)) {
    succeed(done, NULL);
    return;
  }
  answered.owner = new_labelling(ctx, request, done);
  memset(&node, 0, sizeof(node));
  node.size = sizeof(node);
  node.resource = text("v1/nodes");
  node.name = request->key;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.reference = &node;
  ((const ccm_host_kube*)kube.table)->get(kube.self, ctx, &wanted, answered);
}
FAULTY_CONTROLLER("gives-up-on-larger-status", setup_labels, reconcile)
