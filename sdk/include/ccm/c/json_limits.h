/*
 * Limits for JSON that somebody else wrote, checked before a parser sees it, in C. ccm_host_object.parse refuses what nests
 * deeper than 128 levels, and takes any number of values and bytes.
 *
 *   const char *beyond = ccm_check_json(response->body, NULL);
 *   if (beyond != NULL) ccm_fail_format(done, CCM_CODE_RESOURCE_EXHAUSTED, CCM_CLASS_NONE, "ListMachines: the answer %s", beyond);
 */
#ifndef CCM_C_JSON_LIMITS_H
#define CCM_C_JSON_LIMITS_H

#include "ccm/abi/base.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ccm_json_limits {
  size_t bytes;      /* of the whole text */
  size_t text_bytes; /* of one text or number, or of the space between two */
  size_t values;     /* names of members count, too */
  size_t depth;      /* of arrays and objects in each other */
} ccm_json_limits;

/* The limits that count where a caller gives none. */
static inline ccm_json_limits ccm_usual_json_limits(void) {
  const ccm_json_limits limits = {16u << 20, 1u << 20, 500000, 64};
  return limits;
}

/*
 * NULL when the text stays within the limits, else what is beyond them, for a message. NULL for `limits` stands for the usual
 * ones. It looks at each byte once and takes no memory; it does not find out whether the text is JSON. Of values it counts one
 * for each bracket, comma and colon, and one: at least as many as there are.
 */
static inline const char *ccm_check_json(ccm_str text, const ccm_json_limits *limits) {
  const ccm_json_limits most = limits != NULL ? *limits : ccm_usual_json_limits();
  const size_t length = text.ptr != NULL ? text.len : 0;
  size_t values = 0, depth = 0, begin = 0;
  ccm_bool in_text = 0;
  if (length > most.bytes) return "is too large";
  for (size_t at = 0; at <= length; ++at) {
    const char c = at < length ? text.ptr[at] : ','; /* which ends the last value, and counts it */
    if (in_text && c == '\\') {
      ++at;
      continue;
    }
    if (in_text && c != '"' && at < length) continue;
    switch (c) {
      case '"': in_text = !in_text; break;
      case '{':
      case '[':
        if (++depth > most.depth) return "nests too deep";
        ++values;
        break;
      case '}':
      case ']':
        if (depth > 0) --depth;
        break;
      case ',':
      case ':': ++values; break;
      default: continue;
    }
    if (at - begin > most.text_bytes) return "has too long a text";
    begin = at + 1;
  }
  return values > most.values ? "has too many values" : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
