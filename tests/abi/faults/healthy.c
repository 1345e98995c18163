/* No fault: a controller beside the faulty plugin, which patches each Node. While it goes on, the
 * host does. */
#include "faulty.h"

static void patched(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  ccm_completion* done = (ccm_completion*)owner;
  (void)operation;
  (void)result;
  done->fn(done->owner, done->operation, status, NULL);
  free(done);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_KUBE);
  const ccm_host_kube* kube = (const ccm_host_kube*)found.table;
  ccm_completion* kept = (ccm_completion*)malloc(sizeof(*kept));
  ccm_completion after;
  ccm_kube_reference reference;
  ccm_kube_patch_request patch;
  (void)self;
  if (kept == NULL) {
    end_with(done, CCM_CODE_UNAVAILABLE, "out of memory", NULL);
    return;
  }
  *kept = done;
  after.fn = patched;
  after.owner = kept;
  after.operation = 0;
  memset(&reference, 0, sizeof(reference));
  reference.size = sizeof(reference);
  reference.resource = text("v1/nodes");
  reference.name = request->key;
  memset(&patch, 0, sizeof(patch));
  patch.size = sizeof(patch);
  patch.type = CCM_PATCH_MERGE;
  patch.reference = &reference;
  patch.body = text("{\"metadata\":{\"labels\":{\"healthy\":\"was-here\"}}}");
  kube->patch(found.self, ctx, &patch, after);
}
FAULTY_CONTROLLER("healthy", setup_nodes, reconcile)
