/*
 * Helpers for providers and controllers in plain C: texts, completions, lookups, macros for tables and the entry.
 * Header only; ccm/abi/ has the contract, and nothing here is more than a short form of it.
 *
 *   #include "ccm_plugin_manifest.h"   // written by ccm_add_plugin() from plugin.json
 *   #include <ccm/c/provider.h>
 *
 *   static void list(void *self, ccm_ctx ctx, const ccm_list_instances_request *request, ccm_completion done) {
 *     CCM_REFUSE_UNKNOWN(request, 0, done);
 *     ...
 *     ccm_ok(done, &result);
 *   }
 *   static const ccm_cloud_instances instances = {CCM_SIZED(ccm_cloud_instances), .list = list};
 *   CCM_OFFERS(offers, {CCM_CLOUD_INSTANCES, &instances});
 *
 *   static void create(void *self, ccm_ctx ctx, const ccm_create_request *request, ccm_completion done) {
 *     ...
 *     ccm_ok_component(done, made, offers, destroy);
 *   }
 *   CCM_ENTRY(.create = create);
 *
 * Beside it: ccm/c/request.h (requests that point to others), ccm/c/http.h (answers of a cloud), ccm/c/object.h (JSON),
 * ccm/c/text.h (texts that grow), ccm/c/json_limits.h, ccm/c/taints.h, ccm/c/base64.h, ccm/c/time.h, ccm/c/utf8.h. The host's
 * further services are ccm/abi/http.h, ccm/abi/timer.h and the like.
 */
#ifndef CCM_C_PROVIDER_H
#define CCM_C_PROVIDER_H

#include "ccm/abi/config.h"
#include "ccm/abi/instances.h"
#include "ccm/abi/loadbalancers.h"
#include "ccm/abi/log.h"
#include "ccm/abi/object.h"
#include "ccm/abi/plugin.h"
#include "ccm/abi/provider.h"
#include "ccm/abi/routes.h"
#include "ccm/abi/status.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first members of a table or struct in a braced list: .size = its size. */
#define CCM_SIZED(type) .size = sizeof(type)

/* A borrowed text of a NUL-terminated one, which may be NULL. */
static inline ccm_str ccm_text(const char *text) {
  ccm_str result;
  result.ptr = text;
  result.len = text != NULL ? strlen(text) : 0;
  return result;
}

/* Whether a borrowed text is that NUL-terminated one. */
static inline ccm_bool ccm_is(ccm_str text, const char *other) {
  const size_t length = text.ptr != NULL ? text.len : 0;
  return length == strlen(other) && (length == 0 || memcmp(text.ptr, other, length) == 0);
}

/* Copies a borrowed text to `buffer`, with a NUL at its end. 0, and an empty text, when it does not fit. */
static inline ccm_bool ccm_copy_text(char *buffer, size_t capacity, ccm_str text) {
  const size_t length = text.ptr != NULL ? text.len : 0;
  if (capacity == 0) return 0;
  if (length >= capacity) {
    buffer[0] = '\0';
    return 0;
  }
  if (length > 0) memcpy(buffer, text.ptr, length);
  buffer[length] = '\0';
  return 1;
}

/* Ends an operation with a status whose texts are NUL-terminated or NULL, and with a result or NULL. */
static inline void ccm_end(ccm_completion done, int32_t code, int32_t error_class, int64_t retry_after_ms,
                           const char *reason, const char *message, const void *result) {
  ccm_status status;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = code;
  status.error_class = error_class;
  status.retry_after_ms = retry_after_ms;
  status.reason = ccm_text(reason);
  status.message = ccm_text(message);
  done.fn(done.owner, done.operation, &status, result);
}

/*
 * Ends an operation with a status as it is: that of a call of the host's, unchanged, or one by the names of its members:
 *
 *   ccm_pass(done, &(ccm_status){CCM_SIZED(ccm_status), .code = CCM_CODE_RESOURCE_EXHAUSTED,
 *                                .error_class = CCM_CLASS_QUOTA, .reason = ccm_text("TooManyMachines")}, NULL);
 */
static inline void ccm_pass(ccm_completion done, const ccm_status *status, const void *result) {
  done.fn(done.owner, done.operation, status, result);
}

/* A success. `result` is the type that the operation's comment names, or NULL. */
static inline void ccm_ok(ccm_completion done, const void *result) {
  ccm_end(done, CCM_CODE_OK, CCM_CLASS_NONE, 0, NULL, NULL, result);
}

/* A failure: CCM_CODE_..., CCM_CLASS_... and a message for people. */
static inline void ccm_fail(ccm_completion done, int32_t code, int32_t error_class, const char *message) {
  ccm_end(done, code, error_class, 0, NULL, message, NULL);
}

/* A failure with a message as printf makes it, cut off after 500 bytes. */
__attribute__((format(printf, 4, 5))) static inline void ccm_fail_format(ccm_completion done, int32_t code,
                                                                         int32_t error_class, const char *format, ...) {
  char message[501];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  ccm_fail(done, code, error_class, message);
}

/* The cloud still works on it: the host comes back. */
static inline void ccm_waiting(ccm_completion done, int64_t retry_after_ms, const char *message) {
  ccm_end(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_WAITING, retry_after_ms, NULL, message, NULL);
}

/* The instance certainly does not exist. */
static inline void ccm_not_found(ccm_completion done, const char *message) {
  ccm_end(done, CCM_CODE_NOT_FOUND, CCM_CLASS_NOT_FOUND, 0, NULL, message, NULL);
}

/* `remove` left alone what the recorded id leads to: it bears no mark of ours. */
static inline void ccm_not_owned(ccm_completion done, const char *message) {
  ccm_end(done, CCM_CODE_FAILED_PRECONDITION, CCM_CLASS_NONE, 0, CCM_REASON_NOT_OWNED, message, NULL);
}

/* For the begin of an operation: ends it, and returns, unless all of the request is known. `known` is one of
 * ccm/c/request.h. */
#define CCM_REFUSE_UNLESS(known, done)                                                              \
  do {                                                                                              \
    if (!(known)) {                                                                                 \
      ccm_end((done), CCM_CODE_UNIMPLEMENTED, CCM_CLASS_UNSUPPORTED, 0, CCM_REASON_UNKNOWN_REQUEST, \
              "the request has parts that this plugin does not know", NULL);                        \
      return;                                                                                       \
    }                                                                                               \
  } while (0)

/* As CCM_REFUSE_UNLESS, for a request that points to no other. */
#define CCM_REFUSE_UNKNOWN(request, known_flags, done) \
  CCM_REFUSE_UNLESS(ccm_only_known((request), sizeof(*(request)), (known_flags)), (done))

/* Asks the host for a service; {NULL, NULL} when it does not have it. */
static inline ccm_interface ccm_service_of(const ccm_host *host, const char *id) {
  ccm_interface found;
  found.self = NULL;
  found.table = NULL;
  if (!host->get_interface(host->self, id, &found)) found.table = NULL;
  return found;
}

/* One line of CCM_OFFERS. */
typedef struct ccm_offer {
  const char *id;
  const void *table;
} ccm_offer;

/* Hands out the table of that id, with the component as its `self`. */
static inline ccm_bool ccm_find_offer(const ccm_offer *offers, size_t count, void *self, const char *id,
                                      ccm_interface *out) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(offers[i].id, id) != 0) continue;
    out->self = self;
    out->table = offers[i].table;
    return 1;
  }
  return 0;
}

/* Defines `name`, a ccm_component.get_interface that hands out these tables: {CCM_PROVIDER, &provider}, ... */
#define CCM_OFFERS(name, ...)                                                         \
  static ccm_bool name(void *self, const char *id, ccm_interface *out) {              \
    static const ccm_offer offers[] = {__VA_ARGS__};                                  \
    return ccm_find_offer(offers, sizeof(offers) / sizeof(offers[0]), self, id, out); \
  }                                                                                   \
  struct ccm_takes_the_semicolon

/* Completes `create` with a component. */
static inline void ccm_ok_component(ccm_completion done, void *self,
                                    ccm_bool (*get_interface)(void *self, const char *id, ccm_interface *out),
                                    void (*destroy)(void *self)) {
  ccm_component component;
  memset(&component, 0, sizeof(component));
  component.size = sizeof(component);
  component.self = self;
  component.get_interface = get_interface;
  component.destroy = destroy;
  ccm_ok(done, &component);
}

#ifdef __cplusplus
}
#endif

/*
 * The exported entry: CCM_ENTRY(.create = create), or with .open and .close as well. The manifest is the one of
 * ccm_plugin_manifest.h, of CCM_PLUGIN_MANIFEST or of CCM_PLUGIN_MANIFEST_FILE, and stands before it. It is taken over
 * while the file is loaded, since the size of a file is not known to the compiler.
 */
#define CCM_ENTRY(...)                                                                                           \
  static ccm_plugin ccm_plugin_table = {CCM_SIZED(ccm_plugin), .abi_minor = CCM_ABI_MINOR, __VA_ARGS__};         \
  __attribute__((constructor)) static void ccm_plugin_take_manifest(void) {                                      \
    ccm_plugin_table.manifest = ccm_plugin_manifest;                                                             \
  }                                                                                                              \
  CCM_PLUGIN_EXPORT const ccm_plugin *ccm_plugin_v1(void);                                                       \
  CCM_PLUGIN_EXPORT const ccm_plugin *ccm_plugin_v1(void) { return &ccm_plugin_table; }                          \
  struct ccm_takes_the_semicolon

#endif
