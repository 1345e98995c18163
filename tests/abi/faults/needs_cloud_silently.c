/* Fault: setup fails without instances and does not say why. */
#include "labelling.h"

static void begin(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  if (service(CCM_CLOUD_INSTANCES).table == NULL) {
    end_with(done, CCM_CODE_FAILED_PRECONDITION, "", NULL);
    return;
  }
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("needs-cloud-silently", begin, label_node)
