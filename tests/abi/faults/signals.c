/* A controller that takes the host's stop signals, or is where one meets it. */
#define _GNU_SOURCE
#include <ccm/abi/plugin.h>

#include <stddef.h>

static void create_row(void* self, ccm_ctx ctx, const ccm_create_request* request,
                       ccm_completion done);
#define FAULTY_TABLE
#define FAULTY_CREATE create_row
#include "faulty.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static void forget(int number) {
  static const char said[] = "the plugin has the signal\n";
  (void)number;
  (void)!write(2, said, sizeof(said) - 1);
}

/* It takes SIGTERM from the host as soon as its image is there. */
__attribute__((constructor)) static void take_when_loaded(void) {
  if (is_wanted("takes_sigterm_when_loaded")) signal(SIGTERM, forget);
}

/* It takes SIGTERM in each reconcile, as a library does that has a handler of its own. */
static void take_sigterm(void) {
  static const char said[] = "the plugin takes SIGTERM\n";
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = forget;
  sigaction(SIGTERM, &action, NULL);
  (void)!write(2, said, sizeof(said) - 1);
}

/* No fault: a reconcile on a small stack of its own, as all code in Go is. A signal that arrives
 * meanwhile has room on the thread's alternate stack, and nowhere else. */
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

struct signals {
  struct fault fault;
  void (*reconcile)(void); /* NULL = nothing to do */
};
static struct signals faults[] = {
    {{"takes_sigterm_when_loaded", NULL}, NULL},
    {{"takes_sigterm_in_create", NULL}, NULL},
    {{"takes_sigterm_in_reconcile", NULL}, take_sigterm},
    {{"small_stack", NULL}, work_on_a_small_stack},
};

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const struct signals* row = (const struct signals*)self;
  if (row->reconcile != NULL) row->reconcile();
  reconcile_nothing(self, ctx, request, done);
}
FAULTY_CONTROLLER("signals", setup_nodes, reconcile)

/* One ignores SIGTERM from its creation on. */
static void create_row(void* self, ccm_ctx ctx, const ccm_create_request* request,
                       ccm_completion done) {
  if (is_wanted("takes_sigterm_in_create")) signal(SIGTERM, SIG_IGN);
  create_component(self, ctx, request, done);
}
