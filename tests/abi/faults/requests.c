/* A controller with one fault in how it takes a request, or completes it. */
#define FAULTY_TABLE
#include "labelling.h"

#define SETUP(name) \
  static void name(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done)
#define RECONCILE(name)                                                           \
  static void name(void* self, ccm_ctx ctx, const ccm_reconcile_request* request, \
                   ccm_completion done)
#define STOP(name) \
  static void name(void* self, ccm_ctx ctx, const ccm_stop_request* request, ccm_completion done)
#define UNUSED (void)self, (void)ctx, (void)request, (void)done

/* Whether the request asks for nothing unknown, and for no more than this size. */
#define KNOWN(request) ccm_only_known(request, sizeof(*(request)), 0)
#define NO_LARGER(request) ((request)->size <= sizeof(*(request)) && (request)->flags == 0)

/* As it should be. */
SETUP(setup) {
  if (!refuses_unknown(KNOWN(request), done)) setup_labels(self, ctx, request, done);
}

RECONCILE(reconcile) {
  if (!refuses_unknown(KNOWN(request), done)) label_node(self, ctx, request, done);
}

/* It refuses a larger request, whatever stands there. */
SETUP(setup_refuses_larger) {
  if (!refuses_unknown(NO_LARGER(request), done)) setup_labels(self, ctx, request, done);
}

RECONCILE(reconcile_refuses_larger) {
  if (!refuses_unknown(NO_LARGER(request), done)) label_node(self, ctx, request, done);
}

STOP(stop_refuses_larger) {
  UNUSED;
  if (!refuses_unknown(NO_LARGER(request), done)) succeed(done, NULL);
}

/* It does not look whether it knows all of its request; setup_labels and label_node do not. */
STOP(stop_ignores_unknown) {
  UNUSED;
  succeed(done, NULL);
}

SETUP(setup_never_completes) {
  UNUSED;
  refuses_unknown(KNOWN(request), done);
}

RECONCILE(reconcile_never_completes) {
  UNUSED;
  refuses_unknown(KNOWN(request), done);
}

STOP(stop_never_completes) {
  UNUSED;
  refuses_unknown(KNOWN(request), done);
}

RECONCILE(reconcile_completes_twice) {
  UNUSED;
  if (refuses_unknown(KNOWN(request), done)) return;
  succeed(done, NULL);
  succeed(done, NULL);
}

/* It fails with a class that does not exist. */
RECONCILE(reconcile_unknown_class) {
  ccm_status status;
  UNUSED;
  if (refuses_unknown(KNOWN(request), done)) return;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = CCM_CODE_UNAVAILABLE;
  status.error_class = 4711;
  done.fn(done.owner, done.operation, &status, NULL);
}

struct requests {
  struct fault fault;
  ccm_controller table;
};

#define ROW(name, setup, reconcile, stop)                                \
  {                                                                      \
    {#name, NULL}, { sizeof(ccm_controller), 0, setup, reconcile, stop } \
  }
static struct requests faults[] = {
    ROW(setup_ignores_unknown, setup_labels, reconcile, NULL),
    ROW(setup_refuses_larger, setup_refuses_larger, reconcile, NULL),
    ROW(setup_never_completes, setup_never_completes, reconcile, NULL),
    ROW(reconcile_ignores_unknown, setup, label_node, NULL),
    ROW(reconcile_refuses_larger, setup, reconcile_refuses_larger, NULL),
    ROW(reconcile_never_completes, setup, reconcile_never_completes, NULL),
    ROW(reconcile_completes_twice, setup, reconcile_completes_twice, NULL),
    ROW(reconcile_unknown_class, setup, reconcile_unknown_class, NULL),
    ROW(null_reconcile, setup, NULL, NULL),
    ROW(stop_ignores_unknown, setup, reconcile, stop_ignores_unknown),
    ROW(stop_refuses_larger, setup, reconcile, stop_refuses_larger),
    ROW(stop_never_completes, setup, reconcile, stop_never_completes),
    {{"short_controller", NULL}, {offsetof(ccm_controller, reconcile), 0, setup, reconcile, NULL}},
};
FAULTY_PLUGIN("requests", "controller", CCM_CONTROLLER, &((struct requests*)self)->table)
