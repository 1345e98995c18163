/* No fault: completed from a thread of the plugin's own, which ends in destroy. */
#include <pthread.h>
#include <stddef.h>

static pthread_t thread;
static int started;

static void join(void* self) {
  (void)self;
  if (started) pthread_join(thread, NULL);
}
#define FAULTY_DESTROY join
#include "faulty_network.h"

static ccm_completion open_one;

static void* complete(void* unused) {
  succeed_with_balancer(open_one, "elsewhere");
  return unused;
}

ENSURE(ensure) {
  UNUSED_ENSURE;
  open_one = done;
  join(NULL);
  started = pthread_create(&thread, NULL, complete, NULL) == 0;
}
FAULTY_BALANCERS("balancer-completes-elsewhere", ensure)
