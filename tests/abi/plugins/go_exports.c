/* Fault: exports the Go runtime, since it was linked without the version script. */
#include "go_note.h"
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("go-exports", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)

CCM_PLUGIN_EXPORT int x_cgo_init(void);
CCM_PLUGIN_EXPORT int x_cgo_init(void) { return 0; }
