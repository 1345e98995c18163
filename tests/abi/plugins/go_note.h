/* The note by which Go's linker marks what it made. */
#ifndef CCM_TESTS_ABI_GO_NOTE_H
#define CCM_TESTS_ABI_GO_NOTE_H

#include <stdint.h>

static const struct {
  uint32_t name_size, text_size, type;
  char name[4], text[4];
} go_note __attribute__((section(".note.go.buildid"), used, aligned(4))) = {3, 4, 4, "Go", "abc"};

#endif
