/* Fault: an event of a kind that it does not know leads to no key. */
#include "labelling.h"

static void map(void* owner, const ccm_watch_event* event) {
  (void)owner;
  switch (event->kind) {
    case CCM_EVENT_ADDED:
    case CCM_EVENT_UPDATED:
    case CCM_EVENT_DELETED:
    case CCM_EVENT_HINTED:
      add_name(event, CCM_PRIORITY_CHANGED);
      break;
    case CCM_EVENT_RESYNC:
      add_name(event, CCM_PRIORITY_PERIODIC);
      break;
    default:
      break;
  }
}

static void begin(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  watch_labels(map);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("map-forgets-unknown-kinds", begin, label_node)
