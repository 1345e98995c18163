/* The faultless part of the test plugins; each file adds one fault, or none. */
#ifndef CCM_TESTS_ABI_TEST_PLUGIN_H
#define CCM_TESTS_ABI_TEST_PLUGIN_H

#include <ccm/abi/plugin.h>

/* A manifest with one provider, named as the id; `more` adds members, each followed by a comma.
 */
#define TEST_MANIFEST(id, abi, more)                                              \
  "{\"id\": \"test." id "\", \"version\": \"1.0.0\", \"abi\": \"" abi "\", " more \
  "\"components\": [{\"kind\": \"provider\", \"name\": \"" id "\"}]}"

/* Refuses to make any component. */
static inline void test_create(void* self, ccm_ctx ctx, const ccm_create_request* request,
                               ccm_completion done) {
  static const ccm_status refused = {.size = sizeof(ccm_status), .code = CCM_CODE_UNIMPLEMENTED};
  (void)self;
  (void)ctx;
  (void)request;
  done.fn(done.owner, done.operation, &refused, NULL);
}

/* Defines the entry; `...` are further or other members of the table. */
#define TEST_ENTRY(...)                                                     \
  CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);                  \
  CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) {                 \
    static ccm_plugin plugin = {__VA_ARGS__};                               \
    if (plugin.manifest.ptr == NULL) plugin.manifest = ccm_plugin_manifest; \
    return &plugin;                                                         \
  }

#define TEST_GOOD_TABLE \
  .size = sizeof(ccm_plugin), .abi_minor = CCM_ABI_MINOR, .create = test_create

#endif
