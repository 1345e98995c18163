/*
 * Kubernetes objects cross as handles to immutable snapshots. Reading a field copies nothing.
 *
 * R-150 A cached object holds the fields that its readers declared (ccm_watch.fields, "reads" of the manifest) and
 *       always /apiVersion, /kind and /metadata/{name,namespace,uid,resourceVersion}; a live read holds all.
 * R-151 A handle that is an argument or a result is borrowed: valid as R-10 says. `retain` keeps it longer, on any
 *       thread, until `release`. All references are given back before `destroy` of the component returns.
 */
#ifndef CCM_ABI_OBJECT_H
#define CCM_ABI_OBJECT_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_OBJECT "ccm.host.object/1"

/* Opaque, reference counted. */
typedef struct ccm_object ccm_object;

/* A place within an object; borrowed from it, valid as long as the object. {NULL, 0} = nothing there.
 * [frozen] [since 1.0] */
typedef struct ccm_value {
  const ccm_object *object; /* [null] */
  uint64_t position;
} ccm_value;

/* Results of `kind`. Any other counts as ABSENT. [since 1.0] */
enum {
  CCM_VALUE_ABSENT = 0,
  CCM_VALUE_NULL = 1,
  CCM_VALUE_BOOLEAN = 2,
  CCM_VALUE_NUMBER = 3,
  CCM_VALUE_STRING = 4,
  CCM_VALUE_ARRAY = 5,
  CCM_VALUE_OBJECT = 6
};

/* One element of an array (`key` empty) or member of an object; return 0 to stop. It is called inside `each`, on the
 * same thread, and may call functions of this interface only. [any-thread] [null: owner] [since 1.0] */
typedef ccm_bool (*ccm_visit_fn)(void *owner, ccm_str key, ccm_value value);

/* [host table] [since 1.0] */
typedef struct ccm_host_object {
  uint32_t size;
  uint32_t reserved;

  void (*retain)(void *self, const ccm_object *object);  /* [any-thread] [null: object] */
  void (*release)(void *self, const ccm_object *object); /* [any-thread] [null: object] */

  /* The value at an RFC 6901 pointer, from the object's root; "" is the root. [any-thread] [null: object] */
  ccm_value (*find)(void *self, const ccm_object *object, ccm_str pointer);

  /* The value at such a pointer, from another value. [any-thread] */
  ccm_value (*find_in)(void *self, ccm_value from, ccm_str pointer);

  int32_t (*kind)(void *self, ccm_value value); /* [any-thread] */

  /* A string's content, or the JSON text of a boolean or number; 0 for all else, and `*out` is left alone. OWNERSHIP:
   * valid as long as the object. [any-thread] */
  ccm_bool (*text)(void *self, ccm_value value, ccm_str *out);

  /* Visits an array's elements or an object's members in order; nothing for other kinds. [any-thread] [null: owner] */
  void (*each)(void *self, ccm_value container, ccm_visit_fn visit, void *owner);

  /* The kept fields as JSON. Rendered on the first call and kept with the object. [any-thread] [null: object] */
  ccm_str (*json)(void *self, const ccm_object *object);

  /* Whether both have the same content, members in the same order. Nothing equals only nothing. For a watch's map,
   * which asks whether an event changed what it looks at. [any-thread] */
  ccm_bool (*equal)(void *self, ccm_value left, ccm_value right);

  /* A JSON object, such as the answer of a cloud: no other JSON parser is needed. NULL when it is none, or nested deeper
   * than 128. OWNERSHIP: a new reference. [any-thread] */
  const ccm_object *(*parse)(void *self, ccm_str json);
} ccm_host_object;

#ifdef __cplusplus
}
#endif

#endif
