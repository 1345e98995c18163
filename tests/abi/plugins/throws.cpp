// Fault: an exception leaves the entry.
#include <ccm/abi/plugin.h>

CCM_PLUGIN_MANIFEST(
    "{\"id\": \"test.throws\", \"version\": \"1.0.0\", \"abi\": \"1.0\","
    " \"components\": [{\"kind\": \"provider\", \"name\": \"throws\"}]}");

extern "C" CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1() {
  if (ccm_plugin_manifest.len != 0) throw ccm_plugin_manifest.len;
  return nullptr;
}
