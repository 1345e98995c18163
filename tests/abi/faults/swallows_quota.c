/* Fault: takes a route that found the cloud's quota used up for done. */
#include "labelling.h"
#include "names.h"

#include <ccm/abi/routes.h>

static struct names swallowed;

/* A range of its own for each name. */
static void range_of(const char* name, char* range, size_t size) {
  unsigned sum = 0;
  while (*name != 0) sum = sum * 31 + (unsigned char)*name++;
  snprintf(range, size, "10.%u.%u.0/24", sum / 256 % 256, sum % 256);
}

static void applied(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  struct labelling* work = (struct labelling*)owner;
  const ccm_route_results* results = (const ccm_route_results*)result;
  (void)operation;
  if (results != NULL && results->count > 0) status = results->statuses[0];
  if (status->error_class == CCM_CLASS_QUOTA) {
    add_name(&swallowed, text(work->name));
    succeed(work->done, NULL);
    free(work);
  } else {
    pass_on(work, status);
  }
}

static void add_route(struct labelling* work) {
  const ccm_interface cloud = service(CCM_CLOUD_ROUTES);
  const ccm_completion done = {applied, work, 1};
  ccm_apply_routes_request changes;
  ccm_route route;
  const ccm_route* all[1];
  char range[30];
  range_of(work->name, range, sizeof(range));
  memset(&route, 0, sizeof(route));
  route.size = sizeof(route);
  route.destination_cidr = text(range);
  route.target_node = text(work->name);
  all[0] = &route;
  memset(&changes, 0, sizeof(changes));
  changes.size = sizeof(changes);
  changes.cluster_name = text("faulty");
  changes.add = all;
  changes.add_count = 1;
  ((const ccm_cloud_routes*)cloud.table)->apply(cloud.self, work->ctx, &changes, done);
}

static void listed(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  struct labelling* work = (struct labelling*)owner;
  const ccm_route_list* list = (const ccm_route_list*)result;
  char range[30];
  (void)operation;
  if (list == NULL) {
    pass_on(work, status);
    return;
  }
  range_of(work->name, range, sizeof(range));
  for (size_t i = 0; i < list->count; ++i) {
    if (!same_text(list->routes[i]->destination_cidr, range)) continue;
    pass_on(work, status);
    return;
  }
  add_route(work);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface cloud = service(CCM_CLOUD_ROUTES);
  const ccm_object* node = cached_node(request->key);
  const ccm_bool wanted =
      node != NULL && cloud.table != NULL && find_name(&swallowed, request->key) == NULL;
  ccm_completion answered = {listed, NULL, 1};
  ccm_list_routes_request all;
  (void)self;
  release(node);
  if (!wanted) {
    succeed(done, NULL);
    return;
  }
  answered.owner = new_labelling(ctx, request, done);
  memset(&all, 0, sizeof(all));
  all.size = sizeof(all);
  all.cluster_name = text("faulty");
  ((const ccm_cloud_routes*)cloud.table)->list(cloud.self, ctx, &all, answered);
}

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  memset(&swallowed, 0, sizeof(swallowed));
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("swallows-quota", setup, reconcile)
