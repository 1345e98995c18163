/* No fault: made by Go. */
#include "go_note.h"
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("go-one", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)
