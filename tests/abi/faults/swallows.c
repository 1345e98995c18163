/* A controller that takes one kind of failed write for done, and never tries again: only a new
 * start makes it do so. */
#define FAULTY_TABLE
#define WHEN_LABELLED swallow
#include "labelling.h"
#include "names.h"

#include <ccm/abi/routes.h>

/* The code, or the class, that it swallows; 0 = it asks for the other one. */
struct swallowing {
  struct fault fault;
  int32_t code;
  int32_t error_class;
  ccm_bool of_routes; /* its writes are routes of the cloud */
};

static struct swallowing faults[] = {
    {{"swallows_cancellation", NULL}, CCM_CODE_CANCELLED, 0, 0},
    {{"swallows_deadline", NULL}, CCM_CODE_DEADLINE_EXCEEDED, 0, 0},
    {{"swallows_internal_error", NULL}, CCM_CODE_INTERNAL, 0, 0},
    {{"swallows_lost_lease", NULL}, CCM_CODE_FAILED_PRECONDITION, 0, 0},
    {{"swallows_conflict", NULL}, 0, CCM_CLASS_CONFLICT, 0},
    {{"swallows_no_answer", NULL}, 0, CCM_CLASS_UNAVAILABLE, 0},
    {{"swallows_refusal", NULL}, 0, CCM_CLASS_INVALID_SPEC, 0},
    {{"swallows_refused_credential", NULL}, 0, CCM_CLASS_AUTH, 0},
    {{"swallows_throttling", NULL}, 0, CCM_CLASS_THROTTLED, 0},
    {{"swallows_quota", NULL}, 0, CCM_CLASS_QUOTA, 1},
};

static struct names swallowed;

static void swallow(struct labelling* work, const ccm_status* status) {
  const struct swallowing* row = (const struct swallowing*)the_row;
  const ccm_bool taken_for_done =
      row->code != 0 ? status->code == row->code : status->error_class == row->error_class;
  ccm_status none;
  if (status->code == CCM_CODE_OK || !taken_for_done) {
    pass_on(work, status);
    return;
  }
  add_name(&swallowed, text(work->name));
  memset(&none, 0, sizeof(none));
  none.size = sizeof(none);
  pass_on(work, &none);
}

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

static void add_its_route(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
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

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  if (((const struct swallowing*)self)->of_routes) {
    add_its_route(self, ctx, request, done);
    return;
  }
  if (find_name(&swallowed, request->key) != NULL) {
    succeed(done, NULL);
    return;
  }
  label_node(self, ctx, request, done);
}

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  memset(&swallowed, 0, sizeof(swallowed));
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("swallows", setup, reconcile)
