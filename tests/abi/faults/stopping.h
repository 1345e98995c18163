/* Setup and reconcile of controllers whose stop has the fault. */
#ifndef CCM_TESTS_ABI_STOPPING_H
#define CCM_TESTS_ABI_STOPPING_H

#include "labelling.h"

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  setup_labels(self, ctx, request, done);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  label_node(self, ctx, request, done);
}

#endif
