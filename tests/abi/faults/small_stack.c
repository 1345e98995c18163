/* No fault: a reconcile on a small stack of its own, as all code in Go is. A signal that arrives
 * meanwhile has room on the thread's alternate stack, and nowhere else. */
#define _GNU_SOURCE
#include "faulty.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static void work(void) {
  static const char said[] = "on the small stack\n";
  struct timespec begin;
  struct timespec now;
  (void)!write(2, said, sizeof(said) - 1);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec < 2);
}

/* The sanitizers' code in each function needs more room. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static void work_on_a_small_stack(void) { work(); }
#else
static void work_on_a_small_stack(void) {
  static ucontext_t of_the_host;
  static ucontext_t of_the_plugin;
  static char alternate[65536];
  const long page = sysconf(_SC_PAGESIZE);
  /* Beneath the stack nothing may be touched. */
  char* const memory =
      (char*)mmap(NULL, (size_t)page * 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack;
  stack_t before;
  memset(&stack, 0, sizeof(stack));
  stack.ss_sp = alternate;
  stack.ss_size = sizeof(alternate);
  mprotect(memory + page, (size_t)page, PROT_READ | PROT_WRITE);
  sigaltstack(&stack, &before);
  getcontext(&of_the_plugin);
  of_the_plugin.uc_stack.ss_sp = memory + page;
  of_the_plugin.uc_stack.ss_size = (size_t)page / 2; /* the signal's frame alone is larger */
  of_the_plugin.uc_link = &of_the_host;
  makecontext(&of_the_plugin, work, 0);
  swapcontext(&of_the_host, &of_the_plugin);
  sigaltstack(&before, NULL);
  munmap(memory, (size_t)page * 2);
}
#endif

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  work_on_a_small_stack();
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("small-stack", setup_nodes, reconcile)
