/* Fault: takes SIGTERM in each reconcile, as a library does that has a handler of its own. */
#include "faulty.h"

#include <signal.h>
#include <unistd.h>

static void forget(int number) {
  static const char said[] = "the plugin has the signal\n";
  (void)number;
  (void)!write(2, said, sizeof(said) - 1);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  static const char said[] = "the plugin takes SIGTERM\n";
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = forget;
  sigaction(SIGTERM, &action, NULL);
  (void)!write(2, said, sizeof(said) - 1);
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("takes-sigterm-in-reconcile", setup_nodes, reconcile)
