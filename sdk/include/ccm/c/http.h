/*
 * Answers of a cloud's HTTP API, in C. Any answer is a success of ccm_host_http.send; these tell what it means.
 *
 *   static void answered(void *owner, uint64_t operation, const ccm_status *status, const void *result) {
 *     struct call *call = owner;
 *     const ccm_http_response *response = result;
 *     if (status->code != CCM_CODE_OK) ccm_pass(call->done, status, NULL);     // the host's failure, unchanged
 *     else if (response->status_code >= 300) ccm_fail_http(call->done, response, "ListMachines");
 *     else ...
 *     free(call);                                                              // `answered` always comes, once
 *   }
 *
 *   http->send(http_self, ctx, &request, (ccm_completion){answered, call, 0}); // what `request` points to may go now
 */
#ifndef CCM_C_HTTP_H
#define CCM_C_HTTP_H

#include "ccm/abi/http.h"
#include "ccm/c/object.h"
#include "ccm/c/provider.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first header of that name, which is in lower case; empty when there is none. */
static inline ccm_str ccm_header(const ccm_http_response *response, const char *name) {
  const ccm_str none = {NULL, 0};
  for (size_t i = 0; i < response->header_count; ++i) {
    if (ccm_is(response->headers[i].key, name)) return response->headers[i].value;
  }
  return none;
}

/* Retry-After in seconds, as milliseconds, an hour at most; 0 when it is not there or a date. */
static inline int64_t ccm_retry_after_ms(const ccm_http_response *response) {
  const int64_t seconds = ccm_int_of(ccm_header(response, "retry-after"), 0);
  if (seconds <= 0) return 0;
  return (seconds < 3600 ? seconds : 3600) * 1000;
}

/*
 * The failure that an answer stands for: code and class by its status, retry_after_ms by its Retry-After. Without texts,
 * which the caller adds.
 *
 * A 404 gets code UNKNOWN, since a wrong path gives one too: the host retries. After `remove` that ends with class NOT_FOUND
 * for it the host would forget a load balancer that is still there. Use ccm_not_found() where a 404 proves that the
 * instance or load balancer does not exist. 400 and 422 are class INVALID_SPEC, and not code INVALID_ARGUMENT, which would end the
 * host when `initialize` ends with it.
 */
static inline ccm_status ccm_http_failure(const ccm_http_response *response) {
  ccm_status status;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.retry_after_ms = ccm_retry_after_ms(response);
  status.code = CCM_CODE_UNKNOWN;
  switch (response->status_code) {
    case 400:
    case 422: status.code = CCM_CODE_FAILED_PRECONDITION, status.error_class = CCM_CLASS_INVALID_SPEC; break;
    case 401: status.code = CCM_CODE_UNAUTHENTICATED, status.error_class = CCM_CLASS_AUTH; break;
    case 402: status.code = CCM_CODE_RESOURCE_EXHAUSTED, status.error_class = CCM_CLASS_QUOTA; break;
    case 403: status.code = CCM_CODE_PERMISSION_DENIED, status.error_class = CCM_CLASS_AUTH; break;
    case 408: status.code = CCM_CODE_UNAVAILABLE, status.error_class = CCM_CLASS_UNAVAILABLE; break;
    case 409:
    case 412: status.code = CCM_CODE_ABORTED, status.error_class = CCM_CLASS_CONFLICT; break;
    case 429: status.code = CCM_CODE_RESOURCE_EXHAUSTED, status.error_class = CCM_CLASS_THROTTLED; break;
    case 501: status.code = CCM_CODE_UNIMPLEMENTED, status.error_class = CCM_CLASS_UNSUPPORTED; break;
    default:
      if (response->status_code >= 500) status.code = CCM_CODE_UNAVAILABLE, status.error_class = CCM_CLASS_UNAVAILABLE;
  }
  return status;
}

/* Ends an operation with it; `what` was asked ("ListMachines"). */
static inline void ccm_fail_http(ccm_completion done, const ccm_http_response *response, const char *what) {
  char message[160];
  ccm_status status = ccm_http_failure(response);
  snprintf(message, sizeof(message), "%s: HTTP %u", what, (unsigned)response->status_code);
  status.message = ccm_text(message);
  ccm_pass(done, &status, NULL);
}

#ifdef __cplusplus
}
#endif

#endif
