/*
 * Configuration: flags (the host's and the plugin's own), the --cloud-config file, secrets.
 */
#ifndef CCM_ABI_CONFIG_H
#define CCM_ABI_CONFIG_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_CONFIG "draft.ccm.host.config/1"

typedef struct ccm_host_config {
  uint32_t size;
  uint32_t reserved;
  /*
   * The value in force of a flag, without dashes ("cluster-name"), as text: booleans "true"/"false", durations in Go's
   * form ("5m0s"), lists joined by commas. False when there is no such flag. Borrowed until destroy. [any-thread]
   */
  bool (*flag)(void *self, ccm_str name, ccm_str *out);

  /* The bytes of --cloud-config, in whatever form the provider defines; false when the flag is empty. Borrowed: within
   * an operation until that has ended, elsewhere until the change callback was called the next time. [any-thread] */
  bool (*cloud_config)(void *self, ccm_str *out);

  /*
   * A secret of that name: the file that the environment variable NAME_FILE points to (trimmed, read again on each
   * call), else the environment variable NAME. Copies at most `capacity` bytes to `buffer` and returns the secret's
   * whole length, or -1 when there is none. Never logged. [any-thread]
   */
  int64_t (*secret)(void *self, ccm_str name, char *buffer, size_t capacity);

  /* Calls `fn(owner)` in [serial] whenever --cloud-config changed on disk. [create] */
  void (*on_change)(void *self, void (*fn)(void *owner), void *owner);
} ccm_host_config;

#ifdef __cplusplus
}
#endif

#endif
