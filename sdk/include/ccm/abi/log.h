/*
 * Structured log: a constant message and key-value pairs. The host adds time, plugin id and the ctx's fields.
 * Never log a secret.
 */
#ifndef CCM_ABI_LOG_H
#define CCM_ABI_LOG_H

#include "ccm/abi/ctx.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_LOG "ccm.host.log/1"

/* Levels: negative ones are always written; 0 and above is klog's verbosity, written when --v is at least that. A
 * negative level that is none of these counts as ERROR. [since 1.0] */
enum { CCM_LOG_ERROR = -3, CCM_LOG_WARNING = -2, CCM_LOG_INFO = 0, CCM_LOG_DEBUG = 4 };

/* [notice] [since 1.0] */
typedef struct ccm_log_record {
  uint32_t size;
  int32_t level;
  ccm_str message;
  const ccm_key_value *pairs;
  size_t pair_count;
  ccm_str file; /* base name of the source file; may be empty */
  uint32_t line;
  uint32_t reserved;
} ccm_log_record;

/* [host table] [since 1.0] */
typedef struct ccm_host_log {
  uint32_t size;
  uint32_t reserved;

  ccm_bool (*enabled)(void *self, int32_t level); /* [any-thread] */

  /* A ctx that is none, or not known any more, adds no fields. [any-thread] */
  void (*write)(void *self, ccm_ctx ctx, const ccm_log_record *record);
} ccm_host_log;

#ifdef __cplusplus
}
#endif

#endif
