/*
 * A whole cloud provider: the machines of a rack, one in each line of the file that --cloud-config
 * names. Straight-line C: the manifest says "nonblocking": false, so each operation runs on a
 * thread of the host's pool and may read files, wait, or call a vendor's library.
 */
#include "ccm_plugin_manifest.h"

#include <ccm/c/provider.h>

#include <stdio.h>
#include <stdlib.h>

struct provider {
  const ccm_host_config* config;
  void* config_self;
};

/* The texts of one machine, and the structs that point to them. */
struct machine {
  char serial[64], host[254], address[64], model[64], row[16], power[8];
  char provider_id[80], zone[32];
  ccm_node_address addresses[2];
  ccm_key_value label;
  ccm_instance instance;
};

/* Fills in what the host wants to know. Nothing points outside of `machine`, which must not move
 * afterwards. */
static void describe(struct machine* machine) {
  snprintf(machine->provider_id, sizeof(machine->provider_id), "rack://%s", machine->serial);
  snprintf(machine->zone, sizeof(machine->zone), "row-%s", machine->row);
  machine->addresses[0] = (ccm_node_address){ccm_text("InternalIP"), ccm_text(machine->address)};
  machine->addresses[1] = (ccm_node_address){ccm_text("Hostname"), ccm_text(machine->host)};
  machine->label = (ccm_key_value){ccm_text("rack.example.com/serial"), ccm_text(machine->serial)};
  machine->instance = (ccm_instance){
      CCM_SIZED(ccm_instance),
      /* A machine that is switched off still exists; only TERMINATED would lose its Node. */
      .state = strcmp(machine->power, "on") == 0 ? CCM_INSTANCE_RUNNING : CCM_INSTANCE_SHUTDOWN,
      .provider_id = ccm_text(machine->provider_id), .name = ccm_text(machine->host),
      .instance_type = ccm_text(machine->model), .zone = ccm_text(machine->zone),
      .region = ccm_text("cellar"), .addresses = machine->addresses, .address_count = 2,
      .labels = &machine->label, .label_count = 1};
}

/* One line of the file: 1 = a machine, 0 = empty or a comment, -1 = something else. */
static int read_line(const char* begin, size_t length, struct machine* machine) {
  char line[512], more;
  if (!ccm_copy_text(line, sizeof(line), (ccm_str){begin, length})) return -1;
  const char* first = line + strspn(line, " \t\r");
  if (*first == '\0' || *first == '#') return 0;
  const int words = sscanf(line, "%63s %253s %63s %63s %15s %7s %c", machine->serial, machine->host,
                           machine->address, machine->model, machine->row, machine->power, &more);
  const int known =
      words == 6 && (strcmp(machine->power, "on") == 0 || strcmp(machine->power, "off") == 0);
  return known ? 1 : -1;
}

/*
 * All machines, or none and the number of the faulty line in `fault`: never a part, which would
 * look like vanished machines. OWNERSHIP: the caller frees what is returned.
 */
static struct machine* read_machines(ccm_str text, size_t* count, size_t* fault) {
  size_t lines = 1;
  for (size_t i = 0; i < text.len; ++i) lines += text.ptr[i] == '\n';
  struct machine* machines = calloc(lines, sizeof(*machines));
  *count = *fault = 0;
  const char* begin = text.ptr;
  for (size_t number = 1; machines != NULL && number <= lines; ++number) {
    const size_t left = (size_t)(text.ptr + text.len - begin);
    const char* end = left > 0 ? memchr(begin, '\n', left) : NULL;
    const size_t length = end != NULL ? (size_t)(end - begin) : left;
    const int kind = read_line(begin, length, &machines[*count]);
    if (kind < 0) {
      *fault = number;
      free(machines);
      return NULL;
    }
    if (kind > 0) describe(&machines[(*count)++]);
    begin = end != NULL ? end + 1 : begin + length;
  }
  return machines;
}

/* The machines of --cloud-config; completes with a failure and returns NULL when they cannot be
 * read. */
static struct machine* read_rack(struct provider* provider, size_t* count, ccm_completion done) {
  ccm_str text;
  if (!provider->config->cloud_config(provider->config_self, &text)) {
    ccm_fail(done, CCM_CODE_INVALID_ARGUMENT, CCM_CLASS_NONE,
             "--cloud-config must name a file with a machine in each line: SERIAL HOST ADDRESS "
             "MODEL ROW on|off");
    return NULL;
  }
  size_t fault;
  struct machine* machines = read_machines(text, count, &fault);
  if (machines == NULL && fault == 0) {
    ccm_fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  } else if (machines == NULL) {
    ccm_fail_format(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE,
                    "line %zu is not SERIAL HOST ADDRESS MODEL ROW on|off", fault);
  }
  return machines;
}

static void initialize(void* self, ccm_ctx ctx, const ccm_initialize_request* request,
                       ccm_completion done) {
  (void)ctx;
  CCM_REFUSE_UNKNOWN(request, 0, done);
  size_t count;
  struct machine* machines = read_rack(self, &count, done);
  if (machines == NULL) return;
  free(machines);
  ccm_ok(done, NULL);
}

/* The host answers every controller from this one listing. It copies the list before `ccm_ok`
 * returns. */
static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)ctx;
  CCM_REFUSE_UNKNOWN(request, 0, done);
  size_t count;
  struct machine* machines = read_rack(self, &count, done);
  if (machines == NULL) return;
  const ccm_instance** instances = calloc(count + 1, sizeof(*instances));
  for (size_t i = 0; instances != NULL && i < count; ++i) instances[i] = &machines[i].instance;
  const ccm_instance_list result = {CCM_SIZED(ccm_instance_list), .instances = instances,
                                    .count = count};
  if (instances != NULL) {
    ccm_ok(done, &result);
  } else {
    ccm_fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  }
  free(instances);
  free(machines);
}

static const ccm_provider provider = {CCM_SIZED(ccm_provider), .initialize = initialize};
static const ccm_cloud_instances instances = {CCM_SIZED(ccm_cloud_instances), .list = list};
CCM_OFFERS(offers, {CCM_PROVIDER, &provider}, {CCM_CLOUD_INSTANCES, &instances});

static void create(void* self, ccm_ctx ctx, const ccm_create_request* request,
                   ccm_completion done) {
  (void)self, (void)ctx;
  CCM_REFUSE_UNKNOWN(request, 0, done);
  if (!ccm_is(request->component, "rack")) {
    ccm_fail(done, CCM_CODE_NOT_FOUND, CCM_CLASS_NOT_FOUND, "there is no such component");
    return;
  }
  const ccm_interface config = ccm_service_of(request->host, CCM_HOST_CONFIG);
  struct provider* made = malloc(sizeof(*made));
  if (made == NULL || config.table == NULL) {
    free(made);
    ccm_fail(done, CCM_CODE_INTERNAL, CCM_CLASS_NONE,
             "out of memory, or a host without " CCM_HOST_CONFIG);
    return;
  }
  *made = (struct provider){config.table, config.self};
  ccm_ok_component(done, made, offers, free);
}

CCM_ENTRY(.create = create);
