/* Fault: exports the Go runtime, since it was linked without the version script. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("go-exports", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)

static const struct {
  uint32_t name_size, text_size, type;
  char name[4], text[4];
} go_note __attribute__((section(".note.go.buildid"), used, aligned(4))) = {3, 4, 4, "Go", "abc"};

CCM_PLUGIN_EXPORT int x_cgo_init(void);
CCM_PLUGIN_EXPORT int x_cgo_init(void) { return 0; }
