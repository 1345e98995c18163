/* No fault: carries the note by which Go's linker marks what it made. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("go-one", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)

static const struct {
  uint32_t name_size, text_size, type;
  char name[4], text[4];
} go_note __attribute__((section(".note.go.buildid"), used, aligned(4))) = {3, 4, 4, "Go", "abc"};
