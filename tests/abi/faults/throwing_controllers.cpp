// A controller that lets an exception leave one of its functions.
#define FAULTY_TABLE
#include "faulty.h"

static void throw_in_map(void*, const ccm_watch_event*) { throw 42; }

// The exception leaves a visitor, so it would have to cross the host that called it.
static void throw_through_the_host(void*, const ccm_watch_event* event) {
  const ccm_interface found = service(CCM_HOST_OBJECT);
  const auto* objects = static_cast<const ccm_host_object*>(found.table);
  const ccm_value root = objects->find(found.self, event->now, text("/metadata"));
  objects->each(
      found.self, root, [](void*, ccm_str, ccm_value) -> ccm_bool { throw 42; }, nullptr);
  // The call returns here as if the visitor had asked it to stop.
  add_key(text("visited"), CCM_PRIORITY_CHANGED, 0);
}

struct throwing {
  struct fault fault;
  ccm_map_fn map;
};
static throwing faults[] = {
    {{"throws_in_setup", nullptr}, nullptr},
    {{"throws_in_map", nullptr}, throw_in_map},
    {{"throws_in_reconcile", nullptr}, nullptr},
    {{"throws_through_the_host", nullptr}, throw_through_the_host},
};

static void setup(void*, ccm_ctx, const ccm_setup_request*, ccm_completion done) {
  if (is_wanted("throws_in_setup")) throw 42;
  watch_nodes(static_cast<const throwing*>(the_row)->map);
  succeed(done, nullptr);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  if (is_wanted("throws_in_reconcile")) throw 42;
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("throwing-controllers", setup, reconcile)
