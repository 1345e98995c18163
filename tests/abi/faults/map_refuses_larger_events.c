/* Fault: an event must have exactly the size that it knows. */
#include "labelling.h"

static void map(void* owner, const ccm_watch_event* event) {
  (void)owner;
  if (event->size != sizeof(*event)) return;
  add_name(event, event->kind >= CCM_EVENT_ADDED && event->kind <= CCM_EVENT_DELETED
                      ? CCM_PRIORITY_CHANGED
                      : CCM_PRIORITY_PERIODIC);
}

static void begin(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  watch_labels(map);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("map-refuses-larger-events", begin, label_node)
