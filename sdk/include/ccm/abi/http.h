/*
 * HTTP for plugins. Pooling, TLS, proxy, time limits, retries of idempotent calls, Retry-After, the call budget of a
 * credential, metrics and redacted logs come from the host, so a provider links no HTTP or TLS library and its traffic
 * can be recorded, replayed and broken on purpose. ccm/abi/http_client.h makes clients with a CA, certificate or proxy
 * of their own.
 *
 * R-130 HTTP/1.1 with keep-alive: idle connections are kept for 90 s, for each client and origin. Redirects are not
 *       followed, and nothing is decompressed nor asked to be compressed: a 3xx, or a body that the server compressed
 *       unasked, is the answer.
 * R-131 Only the leader changes anything in the cloud: the host sends methods other than GET, HEAD and OPTIONS only
 *       while it holds the Lease, and answers FAILED_PRECONDITION, reason CCM_REASON_NOT_LEADING, otherwise.
 *       CCM_HTTP_READ_ONLY says that a request changes nothing that counts: a log-in, a log-out, a search by POST.
 * R-132 Tries: 429, 5xx but 501 and an exchange without an answer are retried, after Retry-After or a growing
 *       pause, within the ctx's deadline: 3 tries for GET and HEAD and for CCM_HTTP_IDEMPOTENT, 1 for the rest, or
 *       max_tries.
 * R-133 A call budget belongs to the credential that the request names, within the plugin: all its components share it,
 *       no other plugin does. The cloud's own rate-limit headers size it. A call that has to stand back fails with
 *       class THROTTLED, reason CCM_REASON_CALL_BUDGET_SPENT; one that waits for the cloud's Retry-After beyond its
 *       deadline with class THROTTLED and no reason.
 * R-134 Authorization, Proxy-Authorization, X-Auth-Token, Cookie and the texts in `secrets` are replaced by
 *       "[redacted]" where an answer of 400 or above repeats them, and in messages and logs. So are the last of them, and
 *       secrets that ccm_host_config.secret gave, in what a plugin logs, records as Event or fails with: a net below a
 *       plugin that says none.
 */
#ifndef CCM_ABI_HTTP_H
#define CCM_ABI_HTTP_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_HTTP "ccm.host.http/1"

/* Bits of ccm_http_request.flags. [since 1.0] */
enum {
  CCM_HTTP_READ_ONLY = 1, /* sent without the Lease too: a log-in, a log-out, a search by POST */
  CCM_HTTP_IDEMPOTENT = 2 /* doing it twice is doing it once (a POST with an idempotency key): retried like a GET */
};

/* [request] [since 1.0] */
typedef struct ccm_http_request {
  uint32_t size;
  uint32_t flags;
  ccm_str method; /* empty = GET */
  ccm_str url;    /* absolute, http or https */
  const ccm_key_value *headers;
  size_t header_count;
  ccm_str body;
  ccm_str operation;      /* name for metrics and logs, from a small fixed set: "ListDroplets" */
  ccm_str credential;     /* names the call budget; empty = the plugin's only one */
  uint32_t timeout_ms;    /* of one try; 0 = 30 s. The ctx's deadline bounds all tries */
  uint32_t max_tries;     /* 0 = as R-132 says */
  const ccm_str *secrets; /* further texts to redact, such as a password in the body */
  size_t secret_count;
  /* What a write takes the place of, or takes away, in words for people. A dry run shows it beside the body; it is
   * sent to nobody. Only to a host of 1.1 or later. [since 1.1] */
  ccm_str replaces;
} ccm_http_request;

/* [result] [since 1.0] */
typedef struct ccm_http_response {
  uint32_t size;
  uint32_t status_code;
  const ccm_key_value *headers; /* names are lower case */
  size_t header_count;
  ccm_str body;
} ccm_http_response;

/* [host table] [since 1.0] */
typedef struct ccm_host_http {
  uint32_t size;
  uint32_t reserved;

  /*
   * One exchange. Any HTTP answer completes with CCM_CODE_OK; after the last try so do 429 and 5xx. ERRORS: UNAVAILABLE
   * (no answer; the request may have been carried out), INVALID_ARGUMENT (URL, headers), UNAUTHENTICATED (the server's
   * certificate, or its refusal of ours), RESOURCE_EXHAUSTED (the answer is above the client's limit, or R-133),
   * FAILED_PRECONDITION (R-131: nothing was sent). The request, and all that it points to, may be freed as soon as the
   * call has returned. `done` is called once, later and in [serial], whatever happens: its owner may
   * be freed there. RESULT const ccm_http_response *. [any-thread]
   */
  void (*send)(void *self, ccm_ctx ctx, const ccm_http_request *request, ccm_completion done);

  /* As send, for blocking code: completes on the calling thread, before it returns. RESULT const ccm_http_response *.
   * [worker] */
  void (*send_wait)(void *self, ccm_ctx ctx, const ccm_http_request *request, ccm_completion done);
} ccm_host_http;

#ifdef __cplusplus
}
#endif

#endif
