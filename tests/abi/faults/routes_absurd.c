/* Fault: listings and outcomes that cannot be, one after the other. */
#include "faulty_network.h"

static int calls;

static void list(void* self, ccm_ctx ctx, const ccm_list_routes_request* request,
                 ccm_completion done) {
  ccm_route route;
  const ccm_route* all[1];
  ccm_route_list listed;
  (void)self;
  (void)ctx;
  (void)request;
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

/* For fewer changes than were asked for. */
APPLY(apply) {
  UNUSED_APPLY;
  succeed_with_changes(done, 0);
}
FAULTY_ROUTES("routes-absurd", list, apply)
