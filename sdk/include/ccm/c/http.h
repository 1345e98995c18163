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
#include "ccm/c/time.h"

#include <stdio.h>
#include <time.h>

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

/* The pause of a Retry-After, in seconds or as a date compared with `now_ms`, in milliseconds: an hour at most, also where the
 * number fits no integer. 0 for all else: a negative number, a date that has passed, garbage, nothing. */
static inline int64_t ccm_parse_retry_after(ccm_str text, int64_t now_ms) {
  const int64_t longest = 3600 * 1000;
  int64_t pause = 0;
  ccm_bool digits = text.ptr != NULL && text.len > 0;
  for (size_t i = 0; digits && i < text.len; ++i) {
    digits = text.ptr[i] >= '0' && text.ptr[i] <= '9';
    if (digits && pause <= longest) pause = pause * 10 + (text.ptr[i] - '0') * 1000;
  }
  if (!digits) pause = ccm_parse_http_date(text, &pause) ? pause - now_ms : 0;
  if (pause < 0) return 0;
  return pause < longest ? pause : longest;
}

/* The pause that an answer asks for, by this machine's clock. */
static inline int64_t ccm_retry_after_ms(const ccm_http_response *response) {
  return ccm_parse_retry_after(ccm_header(response, "retry-after"), (int64_t)time(NULL) * 1000);
}

/* Sets what a status says but for its message. `reason` lives as long as the status. */
static inline void ccm_classify(ccm_status *status, int32_t code, int32_t error_class, const char *reason) {
  status->code = code;
  status->error_class = error_class;
  status->reason = ccm_text(reason);
}

/*
 * The failure that an answer stands for: code, class and reason by its status, retry_after_ms by its Retry-After. Without a
 * message, which the caller adds.
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
  ccm_classify(&status, CCM_CODE_UNKNOWN, CCM_CLASS_NONE, "UnexpectedCloudAnswer");
  switch (response->status_code) {
    case 400:
    case 422: ccm_classify(&status, CCM_CODE_FAILED_PRECONDITION, CCM_CLASS_INVALID_SPEC, "CloudRefused"); break;
    case 401: ccm_classify(&status, CCM_CODE_UNAUTHENTICATED, CCM_CLASS_AUTH, "CloudCredentialRefused"); break;
    case 402: ccm_classify(&status, CCM_CODE_RESOURCE_EXHAUSTED, CCM_CLASS_QUOTA, "CloudQuotaReached"); break;
    case 403: ccm_classify(&status, CCM_CODE_PERMISSION_DENIED, CCM_CLASS_AUTH, "CloudPermissionDenied"); break;
    case 409:
    case 412: ccm_classify(&status, CCM_CODE_ABORTED, CCM_CLASS_CONFLICT, "CloudConflict"); break;
    case 429: ccm_classify(&status, CCM_CODE_RESOURCE_EXHAUSTED, CCM_CLASS_THROTTLED, "CloudThrottled"); break;
    case 501: ccm_classify(&status, CCM_CODE_UNIMPLEMENTED, CCM_CLASS_UNSUPPORTED, "CloudUnsupported"); break;
    default:
      if (response->status_code < 500 && response->status_code != 408) break;
      ccm_classify(&status, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "CloudUnavailable");
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
