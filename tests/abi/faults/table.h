/* A plugin whose fault is a row of its table `faults`: the environment variable FAULT names the row
 * when the component is made, with commas between those of several plugins. A row begins with a
 * struct fault; `self` is the row. A file with a table defines FAULTY_TABLE before it includes
 * faulty.h, which includes this. */
#ifndef CCM_TESTS_ABI_TABLE_H
#define CCM_TESTS_ABI_TABLE_H

#include <ccm/abi/plugin.h>

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct fault {
  const char* name;
  void (*destroy)(void* self); /* NULL = nothing to do */
};

static void destroy_row(void* self) {
  const struct fault* row = (const struct fault*)self;
  if (row->destroy != NULL) row->destroy(self);
}

static void* the_row;

/* Whether FAULT has this name. */
static ccm_bool is_wanted(const char* name) {
  const size_t length = strlen(name);
  const char* rest = getenv("FAULT");
  while (rest != NULL) {
    if (strncmp(rest, name, length) == 0 && (rest[length] == 0 || rest[length] == ',')) return 1;
    rest = strchr(rest, ',');
    if (rest != NULL) ++rest;
  }
  return 0;
}

/* A test that misspells FAULT ends here. */
static void* row_of(void* rows, size_t count, size_t size) {
  size_t i = 0;
  for (i = 0; i < count; ++i) {
    void* const row = (char*)rows + i * size;
    if (is_wanted(((const struct fault*)row)->name)) return the_row = row;
  }
  abort();
}

#define FAULTY_SELF row_of(faults, sizeof(faults) / sizeof(faults[0]), sizeof(faults[0]))
#define FAULTY_DESTROY destroy_row

/* An operation that is completed another time. */
static ccm_completion remembered MAYBE_UNUSED;

/* A thread of the plugin's own, which ends in destroy. */
static pthread_t thread;
static int has_thread;

MAYBE_UNUSED static void join(void* self) {
  (void)self;
  if (has_thread) pthread_join(thread, NULL);
  has_thread = 0;
}

/* Remembers the operation, and has it completed by `complete`, which gets NULL, on the thread. */
MAYBE_UNUSED static void complete_elsewhere(ccm_completion done, void* (*complete)(void*)) {
  remembered = done;
  join(NULL);
  has_thread = pthread_create(&thread, NULL, complete, NULL) == 0;
}

#endif
