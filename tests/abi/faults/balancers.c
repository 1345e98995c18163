/* A provider of load balancers, with one fault in how it makes them or says what it can. */
#define FAULTY_TABLE
#include "faulty_network.h"

/* Whether the Service has that name, by which a test says what it wants. */
static ccm_bool asked(const ccm_load_balancer_request* request, const char* name) {
  return same_text(request->service->name, name);
}

ENSURE(ensure_sound) {
  UNUSED_ENSURE;
  succeed_with_balancer(done, "lb-1");
}

/* ---- Load balancers that cannot be ---- */

/* So many keys of labels, of which each may be named. */
static const ccm_str* label_keys(void) {
  static ccm_str keys[65];
  size_t i;
  for (i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) keys[i] = text("pool");
  return keys;
}

ENSURE(balancer_absurd) {
  ccm_ingress one = address();
  const ccm_ingress* all[1];
  ccm_load_balancer made;
  ccm_ingress_port port;
  const ccm_ingress_port* ports[1];
  ccm_key_value annotation;
  UNUSED_ENSURE;
  all[0] = &one;
  made = balancer("lb-1", all);
  memset(&port, 0, sizeof(port));
  memset(&annotation, 0, sizeof(annotation));
  port.size = sizeof(port);
  port.protocol = text("TCP");
  if (asked(request, "ensure-no-address")) one.ip.ptr = NULL;
  if (asked(request, "ensure-hole")) all[0] = NULL;
  if (asked(request, "ensure-no-list")) made.ingress = NULL;
  if (asked(request, "ensure-long-id")) made.id = long_text();
  if (asked(request, "ensure-long-hostname")) one.hostname = long_text();
  if (asked(request, "ensure-long-annotation")) {
    annotation.key = text("faulty/long");
    annotation.value = long_text();
    made.annotations = &annotation;
    made.annotation_count = 1;
  }
  if (asked(request, "ensure-port-70000") || asked(request, "ensure-port--1")) {
    port.port = asked(request, "ensure-port--1") ? -1 : 70000;
    ports[0] = &port;
    one.ports = ports;
    one.port_count = 1;
  }
  if (asked(request, "ensure-state-17")) made.state = 17;
  if (asked(request, "ensure-count")) made.ingress_count = (size_t)-1;
  if (asked(request, "ensure-64-labels") || asked(request, "ensure-65-labels")) {
    made.node_labels = label_keys();
    made.node_label_count = asked(request, "ensure-64-labels") ? 64 : 65;
  }
  if (asked(request, "ensure-long-difference")) made.difference = long_text();
  succeed(done, &made);
}

/* A class and a code that nobody knows, and a message of 10 MB. */
ENSURE(balancer_unknown_class) {
  ccm_status status;
  UNUSED_ENSURE;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = 4711;
  status.error_class = 4711;
  status.retry_after_ms = -5;
  status.reason = text("OfTheFuture");
  status.message = long_text();
  done.fn(done.owner, done.operation, &status, NULL);
}

/* ---- Completions at the wrong time ---- */

ENSURE(balancer_completes_twice) {
  UNUSED_ENSURE;
  succeed_with_balancer(done, "first");
  succeed_with_balancer(done, "second");
}

/* The first one is never completed. */
ENSURE(balancer_never_completes) {
  UNUSED_ENSURE;
  if (remembered.fn != NULL) succeed_with_balancer(done, "second");
  remembered = done;
}

/* The first one is completed while the second runs, long after its turn was taken. */
ENSURE(balancer_completes_late) {
  UNUSED_ENSURE;
  if (remembered.fn == NULL) {
    remembered = done;
    return;
  }
  succeed_with_balancer(remembered, "late");
  succeed_with_balancer(done, "in-time");
}

ENSURE(balancer_completes_after_destroy) {
  UNUSED_ENSURE;
  remembered = done;
  succeed_with_balancer(done, "first");
}

static void complete_again(void* self) {
  (void)self;
  if (remembered.fn != NULL) succeed_with_balancer(remembered, "within-destroy");
}

static void* complete_remembered(void* unused) {
  succeed_with_balancer(remembered, "elsewhere");
  return unused;
}

/* No fault: completed from a thread of the plugin's own, which ends in destroy. */
ENSURE(balancer_completes_elsewhere) {
  UNUSED_ENSURE;
  complete_elsewhere(done, complete_remembered);
}

/* ---- Lanes and limits that cannot be ---- */

static void lane_absurd(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                        ccm_completion done) {
  ccm_load_balancer_lane made;
  (void)self;
  (void)ctx;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  if (asked(request, "ensure-long")) made.lane = long_text();
  if (asked(request, "ensure-bytes")) made.lane = text("\xff\xfe");
  if (asked(request, "ensure-short")) made.size = 8; /* ends before the lane: the Service's own */
  if (asked(request, "ensure-never")) return;
  if (asked(request, "ensure-fails")) {
    end_with(done, 4711, "no lane", NULL);
    return;
  }
  succeed(done, asked(request, "ensure-nothing") ? NULL : &made);
  if (asked(request, "ensure-twice")) succeed(done, &made);
}

static void limits_absurd(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                          ccm_completion done) {
  ccm_load_balancer_limits made;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.load_balancers = INT64_MIN;
  made.backends = -1;
  made.id_annotation = text("\xff\xfe");
  made.timeout_ms = INT64_MAX;
  made.parallel = INT64_MIN;
  succeed(done, &made);
}

static void limits_missing(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                           ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed(done, NULL);
}

struct balancers {
  struct fault fault;
  ccm_cloud_loadbalancers table;
};

#define TABLE(ensure, lane, limits)                                                            \
  {                                                                                            \
    sizeof(ccm_cloud_loadbalancers), 0, observe_sound, ensure, NULL, remove_sound, NULL, lane, \
        limits                                                                                 \
  }
#define ROW(name, destroy) \
  { {#name, destroy}, TABLE(name##_if_known, NULL, NULL) }

/* A request that asks for something unknown is no fault's business. */
#define IF_KNOWN(name)                                                           \
  ENSURE(name##_if_known) {                                                      \
    if (refuses_unknown(ccm_known_load_balancer_request(request), done)) return; \
    the_uid = add_name(&balanced, request->service->uid);                        \
    name(self, ctx, request, done);                                              \
  }
IF_KNOWN(balancer_absurd)
IF_KNOWN(balancer_unknown_class)
IF_KNOWN(balancer_completes_twice)
IF_KNOWN(balancer_never_completes)
IF_KNOWN(balancer_completes_late)
IF_KNOWN(balancer_completes_after_destroy)
IF_KNOWN(balancer_completes_elsewhere)

static struct balancers faults[] = {
    ROW(balancer_absurd, NULL),
    ROW(balancer_unknown_class, NULL),
    ROW(balancer_completes_twice, NULL),
    ROW(balancer_never_completes, NULL),
    ROW(balancer_completes_late, NULL),
    ROW(balancer_completes_after_destroy, complete_again),
    ROW(balancer_completes_elsewhere, join),
    {{"balancer_lane_absurd", NULL}, TABLE(ensure_sound, lane_absurd, NULL)},
    {{"balancer_limits_absurd", NULL}, TABLE(ensure_sound, NULL, limits_absurd)},
    {{"balancer_limits_missing", NULL}, TABLE(ensure_sound, NULL, limits_missing)},
};
FAULTY_PLUGIN("balancers", "provider", CCM_CLOUD_LOADBALANCERS, &((struct balancers*)self)->table)
