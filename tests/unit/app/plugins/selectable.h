/* The table of plugins that are found and loaded, but never make a component. */
#ifndef CCM_TESTS_UNIT_APP_SELECTABLE_H
#define CCM_TESTS_UNIT_APP_SELECTABLE_H

#include <ccm/abi/plugin.h>

static void create(void* self, ccm_ctx ctx, const ccm_create_request* request,
                   ccm_completion done) {
  static const ccm_status refused = {.size = sizeof(ccm_status), .code = CCM_CODE_UNIMPLEMENTED};
  (void)self;
  (void)ctx;
  (void)request;
  done.fn(done.owner, done.operation, &refused, NULL);
}

#define SELECTABLE_PLUGIN(manifest_text)                                           \
  CCM_PLUGIN_MANIFEST(manifest_text);                                              \
  CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);                         \
  CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) {                        \
    static ccm_plugin plugin = {                                                   \
        .size = sizeof(ccm_plugin), .abi_minor = CCM_ABI_MINOR, .create = create}; \
    plugin.manifest = ccm_plugin_manifest;                                         \
    return &plugin;                                                                \
  }

#endif
