// Fault: an exception leaves a visitor, so it would have to cross the host that called it.
#include "faulty.h"

static void map(void*, int32_t, const ccm_object*, const ccm_object* now, const ccm_queue* queue) {
  const ccm_interface found = service(CCM_HOST_OBJECT);
  const auto* objects = static_cast<const ccm_host_object*>(found.table);
  const ccm_value root = objects->find(found.self, now, text("/metadata"));
  objects->each(
      found.self, root, [](void*, ccm_str, ccm_value) -> bool { throw 42; }, nullptr);
  // The call returns here as if the visitor had asked it to stop.
  queue->add(queue->self, text("visited"), CCM_PRIORITY_CHANGED, 0);
}

static void setup(void*, const ccm_ctx*, const ccm_host_setup* setup, ccm_completion done) {
  watch_nodes(setup, map);
  succeed(done, nullptr);
}
FAULTY_CONTROLLER("throws-through-the-host", setup, reconcile_nothing)
