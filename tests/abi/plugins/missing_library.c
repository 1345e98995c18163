/* Fault: calls a function that nothing provides. */
#include "test_plugin.h"

CCM_PLUGIN_MANIFEST(TEST_MANIFEST("missing-library", "1.0", ""));

extern void function_of_a_missing_library(void*, ccm_ctx, const ccm_create_request*,
                                          ccm_completion);
TEST_ENTRY(.size = sizeof(ccm_plugin), .create = function_of_a_missing_library)
