/*
 * HTTP for plugins. Pooling, TLS, proxy, time limits, retries of idempotent calls, Retry-After, the call budget of a
 * credential, metrics and redacted logs come from the host, so a provider links no HTTP or TLS library and its traffic
 * can be recorded, replayed and broken on purpose.
 */
#ifndef CCM_ABI_HTTP_H
#define CCM_ABI_HTTP_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_HTTP "draft.ccm.host.http/1"

/*
 * Only the leader changes anything in the cloud: the host sends methods other than GET, HEAD and OPTIONS only while it
 * holds the Lease, and answers FAILED_PRECONDITION, reason "NotLeading", otherwise. A request with this flag is sent by
 * standbys too: it changes nothing that counts, such as a log-in or a search by POST.
 */
#define CCM_HTTP_READ_ONLY 1u

typedef struct ccm_http_request {
  uint32_t size;
  uint32_t timeout_ms; /* of one try; 0 = 30 s. The ctx's deadline bounds all tries */
  ccm_str method;
  ccm_str url; /* absolute, http or https */
  const ccm_key_value *headers;
  size_t header_count;
  ccm_str body;
  ccm_str operation;  /* name for metrics and logs, from a small fixed set: "ListDroplets" */
  ccm_str credential; /* names the call budget; empty = the component's own */
  uint32_t max_tries; /* 0 = 3 for GET and HEAD, 1 for the rest */
  uint32_t flags;     /* CCM_HTTP_READ_ONLY */
} ccm_http_request;

/* Header names are lower case. */
typedef struct ccm_http_response {
  uint32_t size;
  uint32_t status_code;
  const ccm_key_value *headers;
  size_t header_count;
  ccm_str body;
} ccm_http_response;

typedef struct ccm_host_http {
  uint32_t size;
  uint32_t reserved;
  /*
   * One exchange. Any HTTP answer completes with CCM_CODE_OK; after the last try so do 429 and 5xx.
   * Failures: DEADLINE_EXCEEDED, CANCELLED, UNAVAILABLE (no answer), INVALID_ARGUMENT (URL), UNAUTHENTICATED (the
   * server's certificate), RESOURCE_EXHAUSTED (answer above 64 MiB), FAILED_PRECONDITION (a write by a host that does
   * not lead; nothing was sent).
   * RESULT: const ccm_http_response *. [any-thread]
   */
  void (*send)(void *self, const ccm_ctx *ctx, const ccm_http_request *request, ccm_completion done);
} ccm_host_http;

#ifdef __cplusplus
}
#endif

#endif
