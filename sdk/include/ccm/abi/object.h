/*
 * Kubernetes objects cross as handles to immutable snapshots. Reading a field copies nothing.
 * A cached object holds the fields that its subscribers declared (ccm_watch.fields) and always
 * /apiVersion, /kind and /metadata/{name,namespace,uid,resourceVersion}; a live read holds all.
 */
#ifndef CCM_ABI_OBJECT_H
#define CCM_ABI_OBJECT_H

#include "ccm/abi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_OBJECT "draft.ccm.host.object/1"

/* Opaque, reference counted. As an argument or result it is borrowed; retain it to keep it. */
typedef struct ccm_object ccm_object;

/* A place within an object; borrowed from it, valid as long as the object. {NULL, 0} = nothing there. Frozen. */
typedef struct ccm_value {
  const ccm_object *object;
  uint64_t position;
} ccm_value;

/* Results of `kind`. */
enum {
  CCM_VALUE_ABSENT = 0,
  CCM_VALUE_NULL = 1,
  CCM_VALUE_BOOLEAN = 2,
  CCM_VALUE_NUMBER = 3,
  CCM_VALUE_STRING = 4,
  CCM_VALUE_ARRAY = 5,
  CCM_VALUE_OBJECT = 6
};

/* One element of an array (`key` empty) or member of an object; return false to stop. */
typedef bool (*ccm_visit_fn)(void *owner, ccm_str key, ccm_value value);

typedef struct ccm_host_object {
  uint32_t size;
  uint32_t reserved;
  void (*retain)(void *self, const ccm_object *object);  /* [any-thread] */
  void (*release)(void *self, const ccm_object *object); /* [any-thread] */

  /* The value at an RFC 6901 pointer, from the object's root. [any-thread] */
  ccm_value (*find)(void *self, const ccm_object *object, ccm_str pointer);

  /* The same, from a value. [any-thread] */
  ccm_value (*find_in)(void *self, ccm_value from, ccm_str pointer);

  int32_t (*kind)(void *self, ccm_value value); /* [any-thread] */

  /* A string's content, or the JSON text of a boolean or number; false for all else. Borrowed from the object.
   * [any-thread] */
  bool (*text)(void *self, ccm_value value, ccm_str *out);

  /* Visits an array's elements or an object's members in order; nothing for other kinds. [any-thread] */
  void (*each)(void *self, ccm_value container, ccm_visit_fn visit, void *owner);

  /* The kept fields as JSON. Rendered on the first call and kept with the object. [any-thread] */
  ccm_str (*json)(void *self, const ccm_object *object);

  /* Whether both have the same content, members in the same order. Nothing equals only nothing. For a watch's map, which
   * asks whether an event changed what it looks at. [any-thread] */
  bool (*equal)(void *self, ccm_value left, ccm_value right);
} ccm_host_object;

#ifdef __cplusplus
}
#endif

#endif
