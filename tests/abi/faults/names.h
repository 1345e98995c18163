/* Names that a plugin remembers: each is there once. */
#ifndef CCM_TESTS_ABI_NAMES_H
#define CCM_TESTS_ABI_NAMES_H

#include "faulty.h"

#define MOST_NAMES 100u
#define LONGEST_NAME 299u

struct names {
  char text[MOST_NAMES][LONGEST_NAME + 1];
};

MAYBE_UNUSED static char* find_name(struct names* all, ccm_str name) {
  size_t i = 0;
  for (i = 0; i < MOST_NAMES; ++i) {
    if (all->text[i][0] != 0 && same_text(name, all->text[i])) return all->text[i];
  }
  return NULL;
}

MAYBE_UNUSED static const char* add_name(struct names* all, ccm_str name) {
  size_t i = 0;
  char* found = find_name(all, name);
  for (i = 0; found == NULL && i < MOST_NAMES; ++i) {
    if (all->text[i][0] == 0) found = all->text[i];
  }
  if (found == NULL || name.len > LONGEST_NAME) return "full";
  memcpy(found, name.ptr, name.len);
  found[name.len] = 0;
  return found;
}

MAYBE_UNUSED static void remove_name(struct names* all, ccm_str name) {
  char* found = find_name(all, name);
  if (found != NULL) found[0] = 0;
}

#endif
