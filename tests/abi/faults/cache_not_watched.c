/* Fault: asks the cache for what it does not watch. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface kube = service(CCM_HOST_KUBE);
  const ccm_object* object = NULL;
  ccm_kube_reference pod;
  memset(&pod, 0, sizeof(pod));
  pod.size = sizeof(pod);
  pod.resource = text("v1/pods");
  pod.namespace_ = text("default");
  pod.name = request->key;
  ((const ccm_host_kube*)kube.table)->cached(kube.self, &pod, &object);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("cache-not-watched", setup_labels, reconcile)
