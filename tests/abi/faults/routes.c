/* A provider of routes, with one fault in how it lists or changes them. */
#define FAULTY_TABLE
#include "faulty_network.h"

#define LIST(name)                                                                  \
  static void name(void* self, ccm_ctx ctx, const ccm_list_routes_request* request, \
                   ccm_completion done)

/* Listings that cannot be, one after the other. */
LIST(list_absurd) {
  static int calls;
  ccm_route route;
  const ccm_route* all[1];
  ccm_route_list listed;
  (void)self;
  (void)ctx;
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  memset(&route, 0, sizeof(route));
  route.size = sizeof(route);
  route.id = text("r-1");
  route.destination_cidr = text("10.0.0.0/24");
  all[0] = &route;
  memset(&listed, 0, sizeof(listed));
  listed.size = sizeof(listed);
  listed.routes = all;
  listed.count = 1;
  switch (calls++) {
    case 0:
      all[0] = NULL;
      break;
    case 1:
      listed.routes = NULL;
      break;
    case 2:
      listed.count = (size_t)-1;
      break;
    case 3:
      route.target_address_count = 3;
      break;
    case 4:
      route.destination_cidr = long_text();
      break;
    default:
      route.id = long_text();
      break;
  }
  succeed(done, &listed);
}

/* Outcomes of fewer changes than were asked for. */
APPLY(routes_absurd) {
  UNUSED_APPLY;
  succeed_with_changes(done, 0);
}

/* The outcome of a change has a class and a code that nobody knows. */
APPLY(routes_unknown_class) {
  ccm_status status;
  const ccm_status* all[1];
  ccm_route_results results;
  UNUSED_APPLY;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = -1;
  status.error_class = 4711;
  status.message = text("of the future");
  all[0] = &status;
  memset(&results, 0, sizeof(results));
  results.size = sizeof(results);
  results.statuses = all;
  results.count = 1;
  succeed(done, &results);
}

/* ---- Completions at the wrong time ---- */

/* The second time as a failure. */
APPLY(routes_complete_twice) {
  UNUSED_APPLY;
  succeed_with_changes(done, asked_changes);
  end_with(done, CCM_CODE_INTERNAL, "once more", NULL);
}

/* The first one is never completed. */
APPLY(routes_never_complete) {
  UNUSED_APPLY;
  if (remembered.fn != NULL) succeed_with_changes(done, 1);
  remembered = done;
}

/* The first one is completed while the second runs, long after its turn was taken. */
APPLY(routes_complete_late) {
  UNUSED_APPLY;
  if (remembered.fn == NULL) {
    remembered = done;
    return;
  }
  if (remembered.operation != 0) succeed_with_changes(remembered, 1);
  remembered.operation = 0;
  succeed_with_changes(done, asked_changes);
}

APPLY(routes_complete_after_destroy) {
  UNUSED_APPLY;
  remembered = done;
  succeed_with_changes(done, asked_changes);
}

static void complete_again(void* self) {
  (void)self;
  if (remembered.fn != NULL) succeed_with_changes(remembered, asked_changes);
}

static void* complete_remembered(void* unused) {
  succeed_with_changes(remembered, asked_changes);
  return unused;
}

/* No fault: completed from a thread of the plugin's own, which ends in destroy. */
APPLY(routes_complete_elsewhere) {
  UNUSED_APPLY;
  complete_elsewhere(done, complete_remembered);
}

struct routes {
  struct fault fault;
  ccm_cloud_routes table;
};

#define ROW(name, destroy, list)                                                  \
  {                                                                               \
    {#name, destroy}, { sizeof(ccm_cloud_routes), 0, list, name##_changed, NULL } \
  }

/* Changes the content first; a request that asks for something unknown is no fault's business. */
#define CHANGED(name)                                                 \
  APPLY(name##_changed) {                                             \
    if (change_routes(request, done)) name(self, ctx, request, done); \
  }
CHANGED(routes_absurd)
CHANGED(routes_unknown_class)
CHANGED(routes_complete_twice)
CHANGED(routes_never_complete)
CHANGED(routes_complete_late)
CHANGED(routes_complete_after_destroy)
CHANGED(routes_complete_elsewhere)

static struct routes faults[] = {
    ROW(routes_absurd, NULL, list_absurd),
    ROW(routes_unknown_class, NULL, list_sound),
    ROW(routes_complete_twice, NULL, list_sound),
    ROW(routes_never_complete, NULL, list_sound),
    ROW(routes_complete_late, NULL, list_sound),
    ROW(routes_complete_after_destroy, complete_again, list_sound),
    ROW(routes_complete_elsewhere, join, list_sound),
};
FAULTY_PLUGIN("routes", "provider", CCM_CLOUD_ROUTES, &((struct routes*)self)->table)
