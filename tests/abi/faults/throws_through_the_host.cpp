// Fault: an exception leaves a visitor, so it would have to cross the host that called it.
#include "faulty.h"

static void map(void*, const ccm_watch_event* event) {
  const ccm_interface found = service(CCM_HOST_OBJECT);
  const auto* objects = static_cast<const ccm_host_object*>(found.table);
  const ccm_value root = objects->find(found.self, event->now, text("/metadata"));
  objects->each(
      found.self, root, [](void*, ccm_str, ccm_value) -> ccm_bool { throw 42; }, nullptr);
  // The call returns here as if the visitor had asked it to stop.
  add_key(text("visited"), CCM_PRIORITY_CHANGED, 0);
}

static void setup(void*, ccm_ctx, const ccm_setup_request*, ccm_completion done) {
  watch_nodes(map);
  succeed(done, nullptr);
}
FAULTY_CONTROLLER("throws-through-the-host", setup, reconcile_nothing)
