/* Fault: completes an operation again when it is destroyed, and once more from a thread afterwards.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static void complete_again(void* self);
#define FAULTY_DESTROY complete_again
#include "faulty.h"

static ccm_completion ended;
static sem_t first_done;

static void* complete_later(void* unused) {
  end_with(ended, CCM_CODE_INTERNAL, "after destroy", NULL);
  sem_post(&first_done);
  return unused;
}

static void complete_again(void* self) {
  pthread_t thread;
  (void)self;
  if (ended.fn == NULL) return;
  end_with(ended, CCM_CODE_INTERNAL, "within destroy", NULL);
  sem_init(&first_done, 0, 0);
  if (pthread_create(&thread, NULL, complete_later, NULL) != 0) return;
  sem_wait(&first_done);
  pthread_join(thread, NULL);
}

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)request;
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  (void)self;
  (void)ctx;
  ended = done;
  all[0] = &one;
  succeed_with(done, all, 1);
}
FAULTY_LIST("completes-after-destroy", list)
