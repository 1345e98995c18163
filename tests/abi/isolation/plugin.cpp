// A plugin with its own static copy of the library. `create` uses all of it, and its refusal says
// what it saw.
#include "shelf.hpp"

#include <ccm/abi/plugin.h>

#include <string>

CCM_PLUGIN_MANIFEST("{\"id\": \"test." PLUGIN_NAME
                    "\", \"version\": \"1.0.0\", \"abi\": \"1.0\","
                    " \"components\": [{\"kind\": \"provider\", \"name\": \"" PLUGIN_NAME "\"}]}");

static void create(void*, ccm_ctx, const ccm_create_request*, ccm_completion done) {
  const std::string seen = "version " + std::to_string(shelf_version()) + " count " +
                           std::to_string(shelf_count()) + " inline " +
                           std::to_string(++shelf::inline_state.uses) + " template " +
                           std::to_string(++shelf::Registry<int>::state.uses) + " local " +
                           std::to_string(++shelf::local_state().uses) + " thread " +
                           std::to_string(++shelf::thread_uses);
  const ccm_status refused{sizeof(refused),           CCM_CODE_UNIMPLEMENTED, 0, 0, 0, {},
                           {seen.data(), seen.size()}};
  done.fn(done.owner, done.operation, &refused, nullptr);
}

extern "C" CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1();
extern "C" CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1() {
  static const ccm_plugin plugin{sizeof(plugin), CCM_ABI_MINOR, ccm_plugin_manifest,
                                 nullptr,        &create,       nullptr};
  return &plugin;
}
