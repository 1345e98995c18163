/* Fault: an event of a kind that it does not know leads to no key. */
#define MAP_LABELS map
#include "labelling.h"

static void map(void* owner, const ccm_watch_event* event) {
  (void)owner;
  switch (event->kind) {
    case CCM_EVENT_ADDED:
    case CCM_EVENT_UPDATED:
    case CCM_EVENT_DELETED:
    case CCM_EVENT_HINTED:
      add_key_of(event, CCM_PRIORITY_CHANGED);
      break;
    case CCM_EVENT_RESYNC:
      add_key_of(event, CCM_PRIORITY_PERIODIC);
      break;
    default:
      break;
  }
}

FAULTY_CONTROLLER("map-forgets-unknown-kinds", setup_labels, label_node)
