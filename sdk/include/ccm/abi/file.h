/*
 * Files that a configuration names: clouds.yaml, CA bundles, keys, token files. They are read off the loop, and
 * watched, also when they are replaced by rename or by a link, as Kubernetes does with Secrets.
 */
#ifndef CCM_ABI_FILE_H
#define CCM_ABI_FILE_H

#include "ccm/abi/ctx.h"
#include "ccm/abi/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_FILE "ccm.host.file/1"

/* [request] [since 1.0] */
typedef struct ccm_read_file_request {
  uint32_t size;
  uint32_t flags;     /* 0 */
  ccm_str path;       /* absolute */
  int64_t size_limit; /* 0 = 1 MiB, which is also the most */
} ccm_read_file_request;

/* [result] [since 1.0] */
typedef struct ccm_file {
  uint32_t size;
  uint32_t flags; /* 0 */
  ccm_str bytes;  /* any bytes */
} ccm_file;

/* [host table] [since 1.0] */
typedef struct ccm_host_file {
  uint32_t size;
  uint32_t reserved;

  /*
   * A whole regular file. ERRORS: NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED (above the limit), UNAVAILABLE
   * (another error of reading); the message names the path. RESULT const ccm_file *. [any-thread]
   */
  void (*read)(void *self, ccm_ctx ctx, const ccm_read_file_request *request, ccm_completion done);

  /* Calls `callback` in [serial] each time the file at that absolute path has other content, appeared or vanished,
   * within 10 s. Returns a registration; 0 = refused and dropped. [any-thread] */
  uint64_t (*watch)(void *self, ccm_str path, ccm_callback callback);

  /* After it returned in [serial] the callback is not called any more. An unknown registration is ignored.
   * [any-thread] */
  void (*unwatch)(void *self, uint64_t registration);
} ccm_host_file;

#ifdef __cplusplus
}
#endif

#endif
