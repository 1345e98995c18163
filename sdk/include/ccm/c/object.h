/*
 * Reading JSON in C: Kubernetes objects, and the answers of a cloud (ccm_host_object.parse).
 *
 *   const ccm_objects objects = ccm_objects_of(request->host);
 *   const ccm_object *answer = objects.table->parse(objects.self, response->body);
 *   const ccm_value root = ccm_root(objects, answer);
 *   ccm_str id = ccm_get_text(objects, root, "/id");
 *   int64_t total = ccm_get_int(objects, root, "/total", -1);
 *   objects.table->release(objects.self, answer);        // `id` is gone then
 */
#ifndef CCM_C_OBJECT_H
#define CCM_C_OBJECT_H

#include "ccm/abi/object.h"
#include "ccm/c/provider.h"

#include <errno.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CCM_HOST_OBJECT of a component's host. */
typedef struct ccm_objects {
  const ccm_host_object *table; /* NULL = the host does not have it; "needs" of the manifest rules that out */
  void *self;
} ccm_objects;

/* Asks the host for it. */
static inline ccm_objects ccm_objects_of(const ccm_host *host) {
  const ccm_interface found = ccm_service_of(host, CCM_HOST_OBJECT);
  const ccm_objects objects = {(const ccm_host_object *)found.table, found.self};
  return objects;
}

/* The whole object; nothing when it is NULL. */
static inline ccm_value ccm_root(ccm_objects objects, const ccm_object *object) {
  const ccm_value nothing = {NULL, 0};
  return object != NULL ? objects.table->find(objects.self, object, ccm_text("")) : nothing;
}

/* The value at an RFC 6901 pointer from `from`. */
static inline ccm_value ccm_get(ccm_objects objects, ccm_value from, const char *pointer) {
  return objects.table->find_in(objects.self, from, ccm_text(pointer));
}

/* Its text: a string's content, the JSON of a boolean or number; empty for all else. OWNERSHIP: valid as long as the
 * object. */
static inline ccm_str ccm_get_text(ccm_objects objects, ccm_value from, const char *pointer) {
  ccm_str text = {NULL, 0};
  if (!objects.table->text(objects.self, ccm_get(objects, from, pointer), &text)) text.len = 0;
  return text;
}

/* A whole number in decimal digits; `otherwise` for all else. */
static inline int64_t ccm_int_of(ccm_str text, int64_t otherwise) {
  char digits[24];
  char *end = NULL;
  if (!ccm_copy_text(digits, sizeof(digits), text)) return otherwise;
  if (digits[0] != '-' && (digits[0] < '0' || digits[0] > '9')) return otherwise;
  errno = 0;
  const long long value = strtoll(digits, &end, 10);
  return errno == 0 && end != digits && *end == '\0' ? (int64_t)value : otherwise;
}

/* The whole number there, or in the string there; `otherwise` for all else. */
static inline int64_t ccm_get_int(ccm_objects objects, ccm_value from, const char *pointer, int64_t otherwise) {
  return ccm_int_of(ccm_get_text(objects, from, pointer), otherwise);
}

/* Whether it is there and an array, or an object: CCM_VALUE_... */
static inline ccm_bool ccm_get_is(ccm_objects objects, ccm_value from, const char *pointer, int32_t kind) {
  return objects.table->kind(objects.self, ccm_get(objects, from, pointer)) == kind;
}

#ifdef __cplusplus
}
#endif

#endif
