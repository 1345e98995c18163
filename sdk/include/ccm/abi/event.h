/*
 * Kubernetes Events, sent beside the work: an Event never blocks and never fails the caller. As with client-go, the
 * same Event again raises the count of the first one, many messages about one object and reason become a combined one,
 * and of the Events about one object 25 pass at once, then one every 5 minutes.
 */
#ifndef CCM_ABI_EVENT_H
#define CCM_ABI_EVENT_H

#include "ccm/abi/object.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_EVENT "ccm.host.event/1"

/* An object that somebody knows by name only. [notice] [since 1.0] */
typedef struct ccm_object_reference {
  uint32_t size;
  uint32_t flags;      /* 0 */
  ccm_str api_version; /* "v1" */
  ccm_str kind;        /* "Node" */
  ccm_str namespace_;  /* empty for cluster-scoped objects */
  ccm_str name;
  ccm_str uid; /* may be empty: `kubectl describe` then does not show the Event for some kinds */
} ccm_object_reference;

/* Bits of ccm_event.flags. [since 1.0] */
enum {
  CCM_EVENT_IS_WARNING = 1 /* type Warning instead of Normal */
};

/* [notice] [since 1.0] */
typedef struct ccm_event {
  uint32_t size;
  uint32_t flags;
  const ccm_object *object;              /* [null] what it is about */
  const ccm_object_reference *reference; /* [null] the same, when `object` is NULL */
  ccm_str reason;                        /* CamelCase */
  ccm_str message;                       /* at most 1,024 bytes are kept */
  ccm_str source;                        /* source.component; empty = the component's name */
} ccm_event;

/* [host table] [since 1.0] */
typedef struct ccm_host_event {
  uint32_t size;
  uint32_t reserved;

  /* An Event about nothing is ignored. [any-thread] */
  void (*record)(void *self, const ccm_event *event);
} ccm_host_event;

#ifdef __cplusplus
}
#endif

#endif
