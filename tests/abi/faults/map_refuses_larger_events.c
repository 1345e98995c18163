/* Fault: an event must have exactly the size that it knows. */
#define MAP_LABELS map
#include "labelling.h"

static void map(void* owner, const ccm_watch_event* event) {
  (void)owner;
  if (event->size != sizeof(*event)) return;
  add_key_of(event, event->kind >= CCM_EVENT_ADDED && event->kind <= CCM_EVENT_DELETED
                        ? CCM_PRIORITY_CHANGED
                        : CCM_PRIORITY_PERIODIC);
}

FAULTY_CONTROLLER("map-refuses-larger-events", setup_labels, label_node)
