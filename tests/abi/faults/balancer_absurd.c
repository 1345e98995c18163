/* Fault: load balancers that cannot be; the Service's name says which one. */
#include "faulty_network.h"

static ccm_bool asked(const ccm_service* wanted, const char* name) {
  return wanted->name.len == strlen(name) && memcmp(wanted->name.ptr, name, wanted->name.len) == 0;
}

/* So many keys of labels, of which each may be named. */
static const ccm_str* label_keys(void) {
  static ccm_str keys[65];
  size_t i;
  for (i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) keys[i] = text("pool");
  return keys;
}

ENSURE(ensure) {
  ccm_ingress one = address();
  const ccm_ingress* all[1];
  ccm_load_balancer made;
  ccm_ingress_port port;
  const ccm_ingress_port* ports[1];
  const ccm_service* wanted = request->service;
  ccm_key_value annotation;
  UNUSED_ENSURE;
  all[0] = &one;
  made = balancer("lb-1", all);
  memset(&port, 0, sizeof(port));
  memset(&annotation, 0, sizeof(annotation));
  port.size = sizeof(port);
  port.protocol = text("TCP");
  if (asked(wanted, "ensure-no-address")) one.ip.ptr = NULL;
  if (asked(wanted, "ensure-hole")) all[0] = NULL;
  if (asked(wanted, "ensure-no-list")) made.ingress = NULL;
  if (asked(wanted, "ensure-long-id")) made.id = long_text();
  if (asked(wanted, "ensure-long-hostname")) one.hostname = long_text();
  if (asked(wanted, "ensure-long-annotation")) {
    annotation.key = text("faulty/long");
    annotation.value = long_text();
    made.annotations = &annotation;
    made.annotation_count = 1;
  }
  if (asked(wanted, "ensure-port-70000") || asked(wanted, "ensure-port--1")) {
    port.port = asked(wanted, "ensure-port--1") ? -1 : 70000;
    ports[0] = &port;
    one.ports = ports;
    one.port_count = 1;
  }
  if (asked(wanted, "ensure-state-17")) made.state = 17;
  if (asked(wanted, "ensure-count")) made.ingress_count = (size_t)-1;
  if (asked(wanted, "ensure-64-labels") || asked(wanted, "ensure-65-labels")) {
    made.node_labels = label_keys();
    made.node_label_count = asked(wanted, "ensure-64-labels") ? 64 : 65;
  }
  if (asked(wanted, "ensure-long-difference")) made.difference = long_text();
  succeed(done, &made);
}
FAULTY_BALANCERS("balancer-absurd", ensure)
