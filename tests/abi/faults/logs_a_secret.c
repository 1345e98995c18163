/* Fault: a secret is in its log. */
#include "labelling.h"

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface config = service(CCM_HOST_CONFIG);
  const ccm_interface log = service(CCM_HOST_LOG);
  char secret[100];
  ccm_log_record record;
  const int64_t length = ((const ccm_host_config*)config.table)
                             ->secret(config.self, text("FAULTY_TOKEN"), secret, sizeof(secret));
  memset(&record, 0, sizeof(record));
  record.size = sizeof(record);
  record.message.ptr = secret;
  record.message.len = length > 0 && length <= (int64_t)sizeof(secret) ? (size_t)length : 0;
  ((const ccm_host_log*)log.table)->write(log.self, ctx, &record);
  label_node(self, ctx, request, done);
}
FAULTY_CONTROLLER("logs-a-secret", setup_labels, reconcile)
