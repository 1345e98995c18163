/*
 * Whether a plugin in C knows all that a request asks for, the requests that it points to included. For the begin
 * of an operation:
 *
 *   CCM_REFUSE_UNLESS(ccm_known_load_balancer_request(request), done);
 *
 * A request that points to none needs no more than CCM_REFUSE_UNKNOWN(request, 0, done).
 */
#ifndef CCM_C_REQUEST_H
#define CCM_C_REQUEST_H

#include "ccm/c/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A Service with its ports, and the backends. */
static inline ccm_bool ccm_known_load_balancer_request(const ccm_load_balancer_request *request) {
  const uint32_t flags = CCM_SERVICE_LOCAL_TRAFFIC | CCM_SERVICE_CLIENT_IP_AFFINITY | CCM_SERVICE_NO_NODE_PORTS;
  const ccm_service *service = request->service;
  if (!ccm_only_known(request, sizeof(*request), 0) || !ccm_only_known(service, sizeof(*service), flags)) return 0;
  for (size_t i = 0; i < service->port_count; ++i) {
    if (!ccm_only_known(service->ports[i], sizeof(*service->ports[i]), 0)) return 0;
  }
  for (size_t i = 0; i < request->backend_count; ++i) {
    if (!ccm_only_known(request->backends[i], sizeof(*request->backends[i]), 0)) return 0;
  }
  return 1;
}

/* The identities of all Nodes. */
static inline ccm_bool ccm_known_describe_instances_request(const ccm_describe_instances_request *request) {
  if (!ccm_only_known(request, sizeof(*request), 0)) return 0;
  for (size_t i = 0; i < request->node_count; ++i) {
    if (!ccm_only_known(request->nodes[i], sizeof(*request->nodes[i]), 0)) return 0;
  }
  return 1;
}

/* The identity of the Node. */
static inline ccm_bool ccm_known_get_instance_request(const ccm_get_instance_request *request) {
  return ccm_only_known(request, sizeof(*request), 0) && ccm_only_known(request->node, sizeof(*request->node), 0);
}

/* The routes to remove and to add. */
static inline ccm_bool ccm_known_apply_routes_request(const ccm_apply_routes_request *request) {
  const uint32_t flags = CCM_ROUTE_OWNED | CCM_ROUTE_BLACKHOLE;
  if (!ccm_only_known(request, sizeof(*request), 0)) return 0;
  for (size_t i = 0; i < request->remove_count; ++i) {
    if (!ccm_only_known(request->remove[i], sizeof(*request->remove[i]), flags)) return 0;
  }
  for (size_t i = 0; i < request->add_count; ++i) {
    if (!ccm_only_known(request->add[i], sizeof(*request->add[i]), flags)) return 0;
  }
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif
