/* A controller whose reconcile of the Node "stall-MILLISECONDS" blocks the host's loop for that
 * time: it says that it never blocks, and does. */
#define _POSIX_C_SOURCE 200809L
#include <ccm/abi/controller.h>
#include <ccm/abi/plugin.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

CCM_PLUGIN_MANIFEST(
    "{\"id\": \"test.stalling\", \"version\": \"1.0.0\", \"abi\": \"1.0\", \"language\": \"c\",\n"
    " \"nonblocking\": true,\n"
    " \"components\": [{\"kind\": \"controller\", \"name\": \"stalling\",\n"
    "   \"interfaces\": [\"ccm.controller/1\"]}]}");

#define TEXT(literal) \
  { (literal), sizeof(literal) - 1 }

static void end(ccm_completion done, const void* result) {
  static const ccm_status ok = {.size = sizeof(ccm_status), .code = CCM_CODE_OK};
  done.fn(done.owner, done.operation, &ok, result);
}

static const ccm_host* the_host;

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  static const ccm_str fields[] = {TEXT("/metadata/name")};
  const ccm_watch nodes = {
      .size = sizeof(ccm_watch), .resource = TEXT("v1/nodes"), .fields = fields, .field_count = 1};
  ccm_interface found;
  (void)self;
  (void)ctx;
  (void)request;
  if (the_host->get_interface(the_host->self, CCM_HOST_SETUP, &found)) {
    ((const ccm_host_setup*)found.table)->watch(found.self, &nodes);
  }
  end(done, NULL);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  char name[64] = {0};
  (void)self;
  (void)ctx;
  if (request->key.len < sizeof(name)) memcpy(name, request->key.ptr, request->key.len);
  if (strncmp(name, "stall-", 6) == 0) {
    const long milliseconds = strtol(name + 6, NULL, 10);
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) {
    }
  }
  end(done, NULL);
}

static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) {
  static const ccm_controller table = {
      .size = sizeof(ccm_controller), .setup = setup, .reconcile = reconcile};
  if (strcmp(id, CCM_CONTROLLER) != 0) return 0;
  out->self = self;
  out->table = &table;
  return 1;
}

static void destroy(void* self) { (void)self; }

static void create(void* self, ccm_ctx ctx, const ccm_create_request* request,
                   ccm_completion done) {
  static const ccm_component made = {
      .size = sizeof(ccm_component), .get_interface = get_interface, .destroy = destroy};
  (void)self;
  (void)ctx;
  the_host = request->host;
  end(done, &made);
}

CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);
CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) {
  static ccm_plugin plugin = {
      .size = sizeof(ccm_plugin), .abi_minor = CCM_ABI_MINOR, .create = create};
  plugin.manifest = ccm_plugin_manifest;
  return &plugin;
}
