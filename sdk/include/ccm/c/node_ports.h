/*
 * Services whose ports have no node ports (spec.allocateLoadBalancerNodePorts: false), in C: for providers whose load balancers
 * reach the Pods by these.
 *
 *   if (!ccm_need_node_ports(request->service, done)) return;
 */
#ifndef CCM_C_NODE_PORTS_H
#define CCM_C_NODE_PORTS_H

#include "ccm/c/provider.h"
#include "ccm/c/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the ports without one: "80/TCP, 443/UDP"; nothing when each has one. */
static inline void ccm_append_ports_without_node_port(ccm_buffer *buffer, const ccm_service *service) {
  const char *separator = "";
  for (size_t i = 0; i < service->port_count; ++i) {
    const ccm_service_port *port = service->ports[i];
    if (port->node_port != 0) continue;
    ccm_append_format(buffer, "%s%d/", separator, (int)port->port);
    ccm_append_text(buffer, port->protocol);
    separator = ", ";
  }
}

/* Whether each port has one. Otherwise the operation ends here, of class INVALID_SPEC, with a message that names each port and
 * what helps: a load balancer without them would be there and reach nothing. */
static inline ccm_bool ccm_need_node_ports(const ccm_service *service, ccm_completion done) {
  ccm_buffer message;
  memset(&message, 0, sizeof(message));
  ccm_append(&message, "no node port, which the load balancer needs, for ");
  const size_t begin = message.length;
  ccm_append_ports_without_node_port(&message, service);
  const ccm_bool all = !message.failed && message.length == begin;
  ccm_append(&message, ": set spec.allocateLoadBalancerNodePorts to true, or a nodePort for each");
  if (!all) {
    ccm_end(done, CCM_CODE_INVALID_ARGUMENT, CCM_CLASS_INVALID_SPEC, 0, "NoNodePorts",
            message.failed ? "a port has no node port" : message.data, NULL);
  }
  ccm_free(&message);
  return all;
}

#ifdef __cplusplus
}
#endif

#endif
