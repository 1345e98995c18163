/* An operation that is completed from a thread of the plugin's own, which ends in destroy. Comes
 * instead of faulty.h and faulty_network.h. */
#ifndef CCM_TESTS_ABI_FAULTY_THREAD_H
#define CCM_TESTS_ABI_FAULTY_THREAD_H

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

/* Remembers the operation as open_one and completes it by `complete`, which gets NULL, on the
 * thread. */
static void complete_elsewhere(ccm_completion done, void* (*complete)(void*)) {
  open_one = done;
  join(NULL);
  started = pthread_create(&thread, NULL, complete, NULL) == 0;
}

#endif
