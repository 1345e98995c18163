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
#include "faulty.h"

static ccm_completion pending;

static void* complete(void* unused) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  all[0] = &one;
  succeed_with(pending, all, 1);
  return unused;
}

static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  (void)self;
  (void)ctx;
  pending = done;
  join(NULL);
  started = pthread_create(&thread, NULL, complete, NULL) == 0;
}
FAULTY_LIST("list-completes-elsewhere", list)
