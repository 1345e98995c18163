/* The faultless part of providers of load balancers and routes that misbehave: each file brings one
 * function with its fault. */
#ifndef CCM_TESTS_ABI_FAULTY_NETWORK_H
#define CCM_TESTS_ABI_FAULTY_NETWORK_H

#include "faulty.h"

#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/routes.h>

#define TEN_MEGABYTES (10u * 1024u * 1024u)

/* A text that long, which is never freed. */
MAYBE_UNUSED static ccm_str long_text(void) {
  static char* content;
  ccm_str made = {NULL, 0};
  if (content == NULL) content = (char*)malloc(TEN_MEGABYTES);
  if (content == NULL) return made;
  memset(content, 'x', TEN_MEGABYTES);
  made.ptr = content;
  made.len = TEN_MEGABYTES;
  return made;
}

/* An address as it should be. */
MAYBE_UNUSED static ccm_ingress address(void) {
  ccm_ingress made;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.ip = text("192.0.2.1");
  return made;
}

MAYBE_UNUSED static ccm_load_balancer balancer(const char* id, const ccm_ingress* const* ingress) {
  ccm_load_balancer made;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.state = CCM_LOAD_BALANCER_ACTIVE;
  made.id = text(id);
  made.ingress = ingress;
  made.ingress_count = ingress == NULL ? 0 : 1;
  return made;
}

/* Completes with a load balancer as it should be. */
MAYBE_UNUSED static void succeed_with_balancer(ccm_completion done, const char* id) {
  const ccm_ingress one = address();
  const ccm_ingress* all[1];
  ccm_load_balancer made;
  all[0] = &one;
  made = balancer(id, all);
  succeed(done, &made);
}

MAYBE_UNUSED static void observe_sound(void* self, ccm_ctx ctx,
                                       const ccm_load_balancer_request* request,
                                       ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed_with_balancer(done, "observed");
}

MAYBE_UNUSED static void remove_sound(void* self, ccm_ctx ctx,
                                      const ccm_load_balancer_request* request,
                                      ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed(done, NULL);
}

/* Completes with a success of each of the changes. */
MAYBE_UNUSED static void succeed_with_changes(ccm_completion done, size_t count) {
  static ccm_status fine;
  const ccm_status* all[8];
  ccm_route_results results;
  size_t i = 0;
  fine.size = sizeof(fine);
  for (i = 0; i < 8; ++i) all[i] = &fine;
  memset(&results, 0, sizeof(results));
  results.size = sizeof(results);
  results.statuses = all;
  results.count = count;
  succeed(done, &results);
}

MAYBE_UNUSED static void list_no_routes(void* self, ccm_ctx ctx,
                                        const ccm_list_routes_request* request,
                                        ccm_completion done) {
  ccm_route_list none;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&none, 0, sizeof(none));
  none.size = sizeof(none);
  succeed(done, &none);
}

MAYBE_UNUSED static void apply_sound(void* self, ccm_ctx ctx,
                                     const ccm_apply_routes_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  succeed_with_changes(done, request->remove_count + request->add_count);
}

/* The arguments of `ensure` and `apply`, so that a fault is a few lines. */
#define ENSURE(name)                                                                  \
  static void name(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request, \
                   ccm_completion done)
#define UNUSED_ENSURE (void)self, (void)ctx, (void)request
#define APPLY(name)                                                                  \
  static void name(void* self, ccm_ctx ctx, const ccm_apply_routes_request* request, \
                   ccm_completion done)
#define UNUSED_APPLY (void)self, (void)ctx, (void)request

/* A provider of load balancers; `ensure_fn` has the fault. */
#define FAULTY_BALANCERS(name, ensure_fn)                                                        \
  static const ccm_cloud_loadbalancers the_balancers = {                                         \
      sizeof(the_balancers), 0, observe_sound, ensure_fn, NULL, remove_sound, NULL, NULL, NULL}; \
  FAULTY_PLUGIN(name, "provider", CCM_CLOUD_LOADBALANCERS, &the_balancers)

/* A provider of routes; one of the two has the fault. */
#define FAULTY_ROUTES(name, list_fn, apply_fn)                                                 \
  static const ccm_cloud_routes the_routes = {sizeof(the_routes), 0, list_fn, apply_fn, NULL}; \
  FAULTY_PLUGIN(name, "provider", CCM_CLOUD_ROUTES, &the_routes)

#endif
