/* One request to the cloud's API, and what its answer means. */
#ifndef API_H
#define API_H

#include <ccm/c/http.h>
#include <ccm/c/json_limits.h>
#include <ccm/c/object.h>
#include <ccm/c/provider.h>
#include <ccm/c/text.h>

struct provider {
  ccm_interface config, http;
  ccm_objects objects;
};

struct question {
  const char *operation; /* for metrics and messages */
  const char *method;
  ccm_str path;
  ccm_str body; /* JSON; empty = none */
};

/* Reads an answer, whatever its HTTP status; `json` is nothing when the answer has no JSON object. Both are gone when it
 * returns. It ends the operation, or leaves it to the caller of ask(). */
typedef void (*reader)(void *owner, const ccm_http_response *response, ccm_value json);

/* Waits for the answer. Without one it ends the operation with the host's failure, and `read` is not called. */
void ask(const struct provider *provider, ccm_ctx ctx, const struct question *question, ccm_completion done, reader read,
         void *owner);

/* The path of the page after that one: empty when `next` is. */
void next_page(ccm_buffer *path, const char *first, ccm_str next);

#endif
