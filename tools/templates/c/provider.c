/*
 * The machines of @NAME@, from GET /machines of its API. Straight-line C: the manifest says "nonblocking": false, so
 * each operation runs on a thread of the host's pool and may wait.
 */
#include "ccm_plugin_manifest.h"

#include <ccm/c/http.h>
#include <ccm/c/text.h>

struct provider {
  ccm_interface config, http;
  ccm_objects objects;
};

/* One machine, and what its struct points to beside the texts of the answer. */
struct machine {
  char provider_id[256];
  ccm_node_address address;
  ccm_instance instance;
};

/* The machines of an answer; they do not move once there are any. */
struct machines {
  ccm_objects objects;
  struct machine *all;
  const ccm_instance **pointers;
  size_t count;
};

/* One operation that waits for an answer. */
struct call {
  struct provider *provider;
  ccm_completion done;
  ccm_bool with_result;
};

static ccm_bool count_machine(void *owner, ccm_str key, ccm_value value) {
  (void)key, (void)value;
  ++((struct machines *)owner)->count;
  return 1;
}

static ccm_bool read_machine(void *owner, ccm_str key, ccm_value value) {
  (void)key;
  struct machines *machines = owner;
  const ccm_objects objects = machines->objects;
  struct machine *machine = &machines->all[machines->count];
  const ccm_str id = ccm_get_text(objects, value, "/id");
  snprintf(machine->provider_id, sizeof(machine->provider_id), "@NAME@://%.*s", (int)id.len, id.ptr);
  machine->address = (ccm_node_address){ccm_text("InternalIP"), ccm_get_text(objects, value, "/address")};
  machine->instance = (ccm_instance){
      CCM_SIZED(ccm_instance), .provider_id = ccm_text(machine->provider_id), .name = ccm_get_text(objects, value, "/name"),
      .instance_type = ccm_get_text(objects, value, "/type"), .zone = ccm_get_text(objects, value, "/zone"),
      /* A machine that is switched off still exists; only TERMINATED would lose its Node. */
      .state = ccm_is(ccm_get_text(objects, value, "/running"), "false") ? CCM_INSTANCE_SHUTDOWN : CCM_INSTANCE_RUNNING,
      .addresses = &machine->address, .address_count = 1};
  machines->pointers[machines->count++] = &machine->instance;
  return 1;
}

/* Every machine, or a failure: never a part, which would look like vanished machines. */
static void complete(struct call *call, ccm_value list) {
  struct machines machines = {call->provider->objects, NULL, NULL, 0};
  machines.objects.table->each(machines.objects.self, list, count_machine, &machines);
  machines.all = calloc(machines.count + 1, sizeof(*machines.all));
  machines.pointers = calloc(machines.count + 1, sizeof(*machines.pointers));
  if (machines.all == NULL || machines.pointers == NULL) {
    ccm_fail(call->done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  } else {
    machines.count = 0;
    machines.objects.table->each(machines.objects.self, list, read_machine, &machines);
    const ccm_instance_list result = {CCM_SIZED(ccm_instance_list), .instances = machines.pointers, .count = machines.count};
    ccm_ok(call->done, call->with_result ? &result : NULL);
  }
  free(machines.pointers);
  free(machines.all);
}

static void answered(void *owner, uint64_t operation, const ccm_status *status, const void *result) {
  (void)operation;
  struct call *call = owner;
  const ccm_http_response *response = result;
  if (status->code != CCM_CODE_OK) return ccm_pass(call->done, status, NULL);
  if (response->status_code >= 300) return ccm_fail_http(call->done, response, "ListMachines");
  const ccm_objects objects = call->provider->objects;
  const ccm_object *answer = objects.table->parse(objects.self, response->body);
  const ccm_value root = ccm_root(objects, answer);
  if (ccm_get_is(objects, root, "/machines", CCM_VALUE_ARRAY)) {
    complete(call, ccm_get(objects, root, "/machines"));
  } else {
    ccm_fail(call->done, CCM_CODE_DATA_LOSS, CCM_CLASS_UNAVAILABLE, "ListMachines: the answer has no list of machines");
  }
  if (answer != NULL) objects.table->release(objects.self, answer);
}

static void ask(struct provider *provider, ccm_ctx ctx, ccm_bool with_result, ccm_completion done) {
  const ccm_host_config *config = provider->config.table;
  const ccm_host_http *http = provider->http.table;
  char token[4096] = "";
  ccm_str endpoint = {NULL, 0};
  config->flag(provider->config.self, ccm_text("@NAME@-endpoint"), &endpoint);
  /* $@VARIABLE@_TOKEN, or the file that $@VARIABLE@_TOKEN_FILE names; read each time, so that it can rotate. */
  const int64_t length = config->secret(provider->config.self, ccm_text("@VARIABLE@_TOKEN"), token, sizeof(token));
  ccm_buffer url = {0}, authorization = {0};
  ccm_append_text(&url, endpoint);
  ccm_append(&url, "/machines");
  ccm_append(&authorization, "Bearer ");
  if (length > 0 && length <= (int64_t)sizeof(token)) ccm_append_text(&authorization, (ccm_str){token, (size_t)length});
  const ccm_key_value header = {ccm_text("authorization"), ccm_borrow(&authorization)};
  const ccm_http_request request = {CCM_SIZED(ccm_http_request), .method = ccm_text("GET"), .url = ccm_borrow(&url),
                                    .headers = &header, .header_count = 1, .operation = ccm_text("ListMachines")};
  struct call call = {provider, done, with_result};
  if (endpoint.len == 0) {
    ccm_fail(done, CCM_CODE_INVALID_ARGUMENT, CCM_CLASS_NONE, "--@NAME@-endpoint is missing");
  } else if (url.failed || authorization.failed) {
    ccm_fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  } else {
    http->send_wait(provider->http.self, ctx, &request, (ccm_completion){answered, &call, 0});
  }
  ccm_free(&authorization);
  ccm_free(&url);
}

/* Called once. INVALID_ARGUMENT ends the host with its message; other failures are retried. */
static void initialize(void *self, ccm_ctx ctx, const ccm_initialize_request *request, ccm_completion done) {
  CCM_REFUSE_UNKNOWN(request, 0, done);
  ask(self, ctx, 0, done);
}

static void list(void *self, ccm_ctx ctx, const ccm_list_instances_request *request, ccm_completion done) {
  CCM_REFUSE_UNKNOWN(request, 0, done);
  ask(self, ctx, 1, done);
}

static const ccm_provider provider = {CCM_SIZED(ccm_provider), .initialize = initialize};
static const ccm_cloud_instances instances = {CCM_SIZED(ccm_cloud_instances), .list = list};
CCM_OFFERS(offers, {CCM_PROVIDER, &provider}, {CCM_CLOUD_INSTANCES, &instances});

static void create(void *self, ccm_ctx ctx, const ccm_create_request *request, ccm_completion done) {
  (void)self, (void)ctx;
  CCM_REFUSE_UNKNOWN(request, 0, done);
  if (!ccm_is(request->component, "@NAME@")) return ccm_not_found(done, "there is no such component");
  struct provider *made = calloc(1, sizeof(*made));
  if (made == NULL) return ccm_fail(done, CCM_CODE_INTERNAL, CCM_CLASS_NONE, "out of memory");
  /* "needs" of the manifest: a host without these does not load the plugin. */
  made->config = ccm_service_of(request->host, CCM_HOST_CONFIG);
  made->http = ccm_service_of(request->host, CCM_HOST_HTTP);
  made->objects = ccm_objects_of(request->host);
  ccm_ok_component(done, made, offers, free);
}

CCM_ENTRY(.create = create);
