/* The machines, from GET /machines, page by page. */
#include "machines.h"

/* One machine, and what its struct points to; the texts are its own, since an answer goes with its page. */
struct machine {
  char provider_id[256], name[254], type[64], zone[64], ip[64];
  ccm_node_address address;
  ccm_instance instance;
};

/* The machines that were read so far. */
struct machines {
  const struct provider *provider;
  ccm_completion done;
  struct machine *all;
  size_t count, capacity;
  ccm_buffer path;  /* of the next page; empty = that was the last one */
  ccm_bool failed;  /* memory ran out, or a text is longer than any */
  ccm_bool go_on;   /* the operation has not ended */
};

static struct machine *make_room(struct machines *machines) {
  if (machines->count == machines->capacity) {
    const size_t capacity = 2 * machines->capacity + 64;
    struct machine *all = realloc(machines->all, capacity * sizeof(*all));
    if (all == NULL) return NULL;
    machines->all = all;
    machines->capacity = capacity;
  }
  return &machines->all[machines->count];
}

static ccm_bool read_machine(void *owner, ccm_str key, ccm_value value) {
  (void)key;
  struct machines *machines = owner;
  const ccm_objects objects = machines->provider->objects;
  struct machine *machine = make_room(machines);
  if (machine == NULL) {
    machines->failed = 1;
    return 0;
  }
  memset(machine, 0, sizeof(*machine));
  const ccm_str id = ccm_get_text(objects, value, "/id");
  const int length = snprintf(machine->provider_id, sizeof(machine->provider_id), "@NAME@://%.*s", (int)id.len, id.ptr);
  machines->failed |= length < 0 || (size_t)length >= sizeof(machine->provider_id) ||
                      !ccm_copy_text(machine->name, sizeof(machine->name), ccm_get_text(objects, value, "/name")) ||
                      !ccm_copy_text(machine->type, sizeof(machine->type), ccm_get_text(objects, value, "/type")) ||
                      !ccm_copy_text(machine->zone, sizeof(machine->zone), ccm_get_text(objects, value, "/zone")) ||
                      !ccm_copy_text(machine->ip, sizeof(machine->ip), ccm_get_text(objects, value, "/address"));
  /* A machine that is switched off still exists; only TERMINATED would lose its Node. */
  machine->instance.state =
      ccm_is(ccm_get_text(objects, value, "/running"), "false") ? CCM_INSTANCE_SHUTDOWN : CCM_INSTANCE_RUNNING;
  ++machines->count;
  return 1;
}

static void read_page(void *owner, const ccm_http_response *response, ccm_value json) {
  struct machines *machines = owner;
  const ccm_objects objects = machines->provider->objects;
  if (response->status_code >= 300) return ccm_fail_http(machines->done, response, "ListMachines");
  if (!ccm_get_is(objects, json, "/machines", CCM_VALUE_ARRAY)) {
    return ccm_fail(machines->done, CCM_CODE_DATA_LOSS, CCM_CLASS_UNAVAILABLE, "ListMachines: the answer has no list");
  }
  objects.table->each(objects.self, ccm_get(objects, json, "/machines"), read_machine, machines);
  next_page(&machines->path, "/machines", ccm_get_text(objects, json, "/next"));
  machines->go_on = 1;
}

/* Machines do not move any more, so they can be pointed to. */
static void complete(struct machines *machines, ccm_bool with_result) {
  const ccm_instance **pointers = calloc(machines->count + 1, sizeof(*pointers));
  if (machines->failed || machines->path.failed || pointers == NULL) {
    ccm_fail(machines->done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "ListMachines: more than can be kept");
  } else {
    for (size_t i = 0; i < machines->count; ++i) {
      struct machine *machine = &machines->all[i];
      machine->address = (ccm_node_address){ccm_text("InternalIP"), ccm_text(machine->ip)};
      machine->instance = (ccm_instance){
          CCM_SIZED(ccm_instance), .state = machine->instance.state, .provider_id = ccm_text(machine->provider_id),
          .name = ccm_text(machine->name), .instance_type = ccm_text(machine->type), .zone = ccm_text(machine->zone),
          .addresses = &machine->address, .address_count = 1};
      pointers[i] = &machine->instance;
    }
    const ccm_instance_list result = {CCM_SIZED(ccm_instance_list), .instances = pointers, .count = machines->count};
    ccm_ok(machines->done, with_result ? &result : NULL);
  }
  free(pointers);
}

/* Every machine on all pages, or a failure: never a part, which would look like vanished machines. In a cloud whose pages
 * have numbers machines move from one to another meanwhile: read twice there, and compare. */
void list_machines(const struct provider *provider, ccm_ctx ctx, ccm_bool with_result, ccm_completion done) {
  struct machines machines = {.provider = provider, .done = done, .go_on = 1};
  ccm_append(&machines.path, "/machines");
  while (machines.go_on && machines.path.length > 0 && !machines.failed) {
    ccm_buffer path = machines.path; /* the reader writes the next one */
    const struct question question = {"ListMachines", "GET", ccm_borrow(&path), {NULL, 0}};
    machines.path = (ccm_buffer){0};
    machines.go_on = 0;
    ask(provider, ctx, &question, done, read_page, &machines);
    ccm_free(&path);
  }
  if (machines.go_on) complete(&machines, with_result);
  ccm_free(&machines.path);
  free(machines.all);
}
