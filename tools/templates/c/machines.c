/* The machines, from GET /machines. */
#include "machines.h"

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

struct call {
  const struct provider *provider;
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

static void read_list(void *owner, const ccm_http_response *response, ccm_value json) {
  struct call *call = owner;
  const ccm_objects objects = call->provider->objects;
  if (response->status_code >= 300) return ccm_fail_http(call->done, response, "ListMachines");
  if (ccm_get_is(objects, json, "/machines", CCM_VALUE_ARRAY)) return complete(call, ccm_get(objects, json, "/machines"));
  ccm_fail(call->done, CCM_CODE_DATA_LOSS, CCM_CLASS_UNAVAILABLE, "ListMachines: the answer has no list of machines");
}

void list_machines(const struct provider *provider, ccm_ctx ctx, ccm_bool with_result, ccm_completion done) {
  struct call call = {provider, done, with_result};
  const struct question question = {"ListMachines", "GET", ccm_text("/machines"), {NULL, 0}};
  ask(provider, ctx, &question, done, read_list, &call);
}
