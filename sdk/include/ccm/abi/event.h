/*
 * Kubernetes Events, sent beside the work: an Event never blocks and never fails the caller. As with client-go, the same
 * Event again raises the count of the first one, many messages about one object and reason become a combined one, and of
 * the Events about one object 25 pass at once, then one every 5 minutes.
 */
#ifndef CCM_ABI_EVENT_H
#define CCM_ABI_EVENT_H

#include "ccm/abi/object.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CCM_HOST_EVENT "draft.ccm.host.event/1"

typedef struct ccm_event {
  uint32_t size;
  bool warning; /* type Warning instead of Normal */
  uint8_t reserved[3];
  const ccm_object *object; /* what it is about */
  ccm_str reason;           /* CamelCase */
  ccm_str message;          /* at most 1,024 bytes are kept */
  ccm_str source;           /* source.component; empty = the component's name */
} ccm_event;

typedef struct ccm_host_event {
  uint32_t size;
  uint32_t reserved;
  void (*record)(void *self, const ccm_event *event); /* [any-thread] */
} ccm_host_event;

#ifdef __cplusplus
}
#endif

#endif
