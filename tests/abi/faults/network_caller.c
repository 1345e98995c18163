/* No fault: a controller that asks for a load balancer for each Node called ensure-X, deletes it
 * for delete-X, adds a route for apply-X and lists the routes for list-X. Its reconcile ends as
 * that did. */
#include "faulty_network.h"

static void ended(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  ccm_completion* done = (ccm_completion*)owner;
  (void)operation;
  (void)result;
  done->fn(done->owner, done->operation, status, NULL);
  free(done);
}

static ccm_bool begins(ccm_str key, const char* with) {
  return key.len > strlen(with) && memcmp(key.ptr, with, strlen(with)) == 0;
}

static void call_balancers(ccm_ctx ctx, ccm_str key, ccm_completion after) {
  const ccm_interface found = service(CCM_CLOUD_LOADBALANCERS);
  const ccm_cloud_loadbalancers* table = (const ccm_cloud_loadbalancers*)found.table;
  ccm_service wanted;
  ccm_load_balancer_request request;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.name = key;
  wanted.uid.ptr = memchr(key.ptr, '-', key.len);
  wanted.uid.len = key.len - (size_t)(wanted.uid.ptr - key.ptr);
  memset(&request, 0, sizeof(request));
  request.size = sizeof(request);
  request.service = &wanted;
  if (begins(key, "delete-")) {
    table->remove(found.self, ctx, &request, after);
  } else {
    table->ensure(found.self, ctx, &request, after);
  }
}

/* A reconcile fails as the first change did. */
static void applied(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  const ccm_route_results* results = (const ccm_route_results*)result;
  if (results != NULL && results->count > 0) status = results->statuses[0];
  ended(owner, operation, status, NULL);
}

static void call_routes(ccm_ctx ctx, ccm_str key, ccm_completion after) {
  const ccm_interface found = service(CCM_CLOUD_ROUTES);
  const ccm_cloud_routes* table = (const ccm_cloud_routes*)found.table;
  ccm_route route;
  const ccm_route* all[1];
  ccm_list_routes_request listing;
  char range[] = "10.0.0.0/24"; /* the Node's number is in it */
  ccm_apply_routes_request changes;
  if (begins(key, "list-")) {
    memset(&listing, 0, sizeof(listing));
    listing.size = sizeof(listing);
    listing.cluster_name = text("c");
    table->list(found.self, ctx, &listing, after);
    return;
  }
  memset(&route, 0, sizeof(route));
  route.size = sizeof(route);
  range[5] = key.ptr[key.len - 1];
  route.destination_cidr = text(range);
  route.target_node = key;
  all[0] = &route;
  after.fn = applied;
  memset(&changes, 0, sizeof(changes));
  changes.size = sizeof(changes);
  changes.cluster_name = text("c");
  changes.add = all;
  changes.add_count = 1;
  table->apply(found.self, ctx, &changes, after);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_bool balancers = begins(request->key, "ensure-") || begins(request->key, "delete-");
  const ccm_bool routes = begins(request->key, "apply-") || begins(request->key, "list-");
  ccm_completion after = {ended, NULL, 0};
  ccm_completion* kept = NULL;
  (void)self;
  if (!balancers && !routes) {
    succeed(done, NULL);
    return;
  }
  kept = (ccm_completion*)malloc(sizeof(*kept));
  if (kept == NULL) {
    end_with(done, CCM_CODE_UNAVAILABLE, "out of memory", NULL);
    return;
  }
  *kept = done;
  after.owner = kept;
  if (balancers) {
    call_balancers(ctx, request->key, after);
  } else {
    call_routes(ctx, request->key, after);
  }
}

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  ccm_queue_options options;
  (void)self;
  (void)request;
  (void)ctx;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.workers = 10;
  options.reconcile_timeout_ms = 600000;
  ((const ccm_host_setup*)found.table)->queue(found.self, &options);
  watch_nodes(NULL);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("network-caller", setup, reconcile)
