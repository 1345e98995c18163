/* The faultless part of providers of load balancers and routes that misbehave: each fault is one
 * function in balancers.c or routes.c. */
#ifndef CCM_TESTS_ABI_FAULTY_NETWORK_H
#define CCM_TESTS_ABI_FAULTY_NETWORK_H

#include "faulty.h"
#include "names.h"

#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/routes.h>
#include <ccm/c/request.h>

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

/* UIDs of Services that have a load balancer, and the one that is being worked on. */
static struct names balanced MAYBE_UNUSED;
static const char* the_uid MAYBE_UNUSED;

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
  made.id = text(the_uid != NULL ? the_uid : id);
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
  ccm_load_balancer absent;
  (void)self;
  (void)ctx;
  if (refuses_unknown(ccm_known_load_balancer_request(request), done)) return;
  the_uid = find_name(&balanced, request->service->uid);
  if (the_uid != NULL) {
    succeed_with_balancer(done, "observed");
    return;
  }
  memset(&absent, 0, sizeof(absent));
  absent.size = sizeof(absent);
  absent.state = CCM_LOAD_BALANCER_ABSENT;
  succeed(done, &absent);
}

MAYBE_UNUSED static void remove_sound(void* self, ccm_ctx ctx,
                                      const ccm_load_balancer_request* request,
                                      ccm_completion done) {
  char* found = NULL;
  (void)self;
  (void)ctx;
  if (refuses_unknown(ccm_known_load_balancer_request(request), done)) return;
  found = find_name(&balanced, request->service->uid);
  if (found != NULL) found[0] = 0;
  succeed(done, NULL);
}

#define MOST_CHANGES 8

/* CIDRs to which routes lead, how many changes the last `apply` asked for, and which of them lead
 * to a Node that does not exist. */
static struct names routed MAYBE_UNUSED;
static size_t asked_changes MAYBE_UNUSED;
static ccm_bool impossible[MOST_CHANGES] MAYBE_UNUSED;

/* Completes with a success of each of the changes that are possible. */
MAYBE_UNUSED static void succeed_with_changes(ccm_completion done, size_t count) {
  static ccm_status fine;
  static ccm_status refused;
  const ccm_status* all[MOST_CHANGES];
  ccm_route_results results;
  size_t i = 0;
  fine.size = sizeof(fine);
  refused.size = sizeof(refused);
  refused.code = CCM_CODE_INVALID_ARGUMENT;
  for (i = 0; i < MOST_CHANGES; ++i) all[i] = impossible[i] ? &refused : &fine;
  memset(&results, 0, sizeof(results));
  results.size = sizeof(results);
  results.statuses = all;
  results.count = count;
  succeed(done, &results);
}

MAYBE_UNUSED static void list_sound(void* self, ccm_ctx ctx, const ccm_list_routes_request* request,
                                    ccm_completion done) {
  ccm_route_list list;
  ccm_route routes[64];
  const ccm_route* all[64];
  size_t i = 0;
  (void)self;
  (void)ctx;
  if (refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) return;
  memset(routes, 0, sizeof(routes));
  memset(&list, 0, sizeof(list));
  list.size = sizeof(list);
  list.routes = all;
  for (i = 0; i < 64; ++i) {
    if (routed.text[i][0] == 0) continue;
    routes[i].size = sizeof(routes[i]);
    routes[i].flags = CCM_ROUTE_OWNED;
    routes[i].id = text(routed.text[i]);
    routes[i].destination_cidr = routes[i].id;
    all[list.count++] = &routes[i];
  }
  succeed(done, &list);
}

/* Changes the content; false when the request was refused. */
MAYBE_UNUSED static ccm_bool change_routes(const ccm_apply_routes_request* request,
                                           ccm_completion done) {
  size_t i = 0;
  if (refuses_unknown(ccm_known_apply_routes_request(request), done)) return 0;
  asked_changes = request->remove_count + request->add_count;
  for (i = 0; i < request->remove_count; ++i) {
    char* found = find_name(&routed, request->remove[i]->destination_cidr);
    if (found != NULL) found[0] = 0;
  }
  memset(impossible, 0, sizeof(impossible));
  for (i = 0; i < request->add_count; ++i) {
    const size_t change = request->remove_count + i;
    if (change < MOST_CHANGES && same_text(request->add[i]->target_node, "no-such-node")) {
      impossible[change] = 1;
    } else {
      add_name(&routed, request->add[i]->destination_cidr);
    }
  }
  return 1;
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

#endif
