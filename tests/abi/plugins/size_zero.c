/* Fault: the table's size was forgotten. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("size-zero", "1.0", ""));
TEST_ENTRY(.size = 0, .create = test_create)
