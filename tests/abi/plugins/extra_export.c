/* Fault: exports a function that another plugin could be bound to. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("extra-export", "1.0", ""));
TEST_ENTRY(TEST_GOOD_TABLE)

CCM_PLUGIN_EXPORT int helper_of_many_libraries(void);
CCM_PLUGIN_EXPORT int helper_of_many_libraries(void) { return 1; }
