/*
 * Configuration: flags (the host's and the plugin's own), the --cloud-config file, secrets.
 */
#ifndef CCM_ABI_CONFIG_H
#define CCM_ABI_CONFIG_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_CONFIG "ccm.host.config/1"

/* [host table] [since 1.0] */
typedef struct ccm_host_config {
  uint32_t size;
  uint32_t reserved;

  /*
   * The value in force of a flag, without dashes ("cluster-name"), as text: booleans "true"/"false", durations in Go's
   * form ("5m0s"), lists joined by commas. 0 when there is no such flag. OWNERSHIP: valid until destroy. [any-thread]
   */
  ccm_bool (*flag)(void *self, ccm_str name, ccm_str *out);

  /* Whether the user gave the flag, or the environment variable that stands for it, rather than leaving its default. 0
   * also when there is no such flag. [any-thread] */
  ccm_bool (*flag_given)(void *self, ccm_str name);

  /* The bytes of --cloud-config, in whatever form the provider defines; 0 when the flag is empty. OWNERSHIP: valid
   * until the next change was told by on_change and the operations of the component that ran then have ended.
   * [any-thread] */
  ccm_bool (*cloud_config)(void *self, ccm_str *out);

  /*
   * A secret of that name: the file that the environment variable NAME_FILE points to (trimmed, read again on each
   * call), else the environment variable NAME. Copies at most `capacity` bytes to `buffer` and returns the secret's
   * whole length, or -1 when there is none. Never logged. [any-thread] [null: buffer]
   */
  int64_t (*secret)(void *self, ccm_str name, char *buffer, size_t capacity);

  /* Calls `callback` in [serial] each time --cloud-config has changed on disk, until the component ends. The host looks
   * every 10 s. 0 = refused and dropped. [create] */
  ccm_bool (*on_change)(void *self, ccm_callback callback);

  /*
   * Says that the configuration as it is now in `file` (a path that was read by ccm_host_file; empty = --cloud-config)
   * cannot be used, and that the one from before stays in force: the plugin goes on with it. `reason` says where the
   * fault is and what to do. The operator sees it in the log, a metric and the status pages until accepted() or the
   * next change. [any-thread]
   */
  void (*rejected)(void *self, ccm_str file, ccm_str reason);

  /* Says that the configuration as it is now in `file` is in force. It takes back what rejected() said of it, from the
   * metric and the status pages; the log has no line of it. [any-thread] */
  void (*accepted)(void *self, ccm_str file);
} ccm_host_config;

#ifdef __cplusplus
}
#endif

#endif
