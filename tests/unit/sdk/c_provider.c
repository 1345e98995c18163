/*
 * A provider in C by ccm/c/provider.h: the machines of a rack, one in each line of --cloud-config.
 * The manifest says "nonblocking": false, so each operation runs on a thread of the host's pool.
 */
#include <ccm/c/provider.h>

#include <stdio.h>
#include <stdlib.h>

CCM_PLUGIN_MANIFEST("{\"id\": \"test.rack\", \"nonblocking\": false}");

struct provider {
  const ccm_host_config* config;
  void* config_self;
};

/* The texts of one machine, and the structs that point to them. */
struct machine {
  char serial[64], host[254], address[64], power[8], provider_id[80];
  ccm_node_address addresses[2];
  ccm_instance instance;
};

/* Nothing points outside of `machine`, which must not move afterwards. */
static void describe(struct machine* machine) {
  snprintf(machine->provider_id, sizeof(machine->provider_id), "rack://%s", machine->serial);
  machine->addresses[0] = (ccm_node_address){ccm_text("InternalIP"), ccm_text(machine->address)};
  machine->addresses[1] = (ccm_node_address){ccm_text("Hostname"), ccm_text(machine->host)};
  machine->instance = (ccm_instance){
      CCM_SIZED(ccm_instance),
      /* A machine that is switched off still exists; only TERMINATED would lose its Node. */
      .state = strcmp(machine->power, "on") == 0 ? CCM_INSTANCE_RUNNING : CCM_INSTANCE_SHUTDOWN,
      .provider_id = ccm_text(machine->provider_id), .name = ccm_text(machine->host),
      .addresses = machine->addresses, .address_count = 2};
}

/* One line: 1 = a machine, 0 = empty or a comment, -1 = something else. */
static int read_line(const char* begin, size_t length, struct machine* machine) {
  char line[512], more;
  if (!ccm_copy_text(line, sizeof(line), (ccm_str){begin, length})) return -1;
  const char* first = line + strspn(line, " \t\r");
  if (*first == '\0' || *first == '#') return 0;
  const int words = sscanf(line, "%63s %253s %63s %7s %c", machine->serial, machine->host,
                           machine->address, machine->power, &more);
  return words == 4 ? 1 : -1;
}

/*
 * All machines, or a completion and NULL: never a part, which would look like vanished machines.
 * OWNERSHIP: the caller frees what is returned.
 */
static struct machine* read_rack(const struct provider* rack, size_t* count, ccm_completion done) {
  ccm_str text;
  if (!rack->config->cloud_config(rack->config_self, &text)) {
    ccm_fail(done, CCM_CODE_INVALID_ARGUMENT, CCM_CLASS_NONE, "--cloud-config must name a file");
    return NULL;
  }
  size_t lines = 1;
  for (size_t i = 0; i < text.len; ++i) lines += text.ptr[i] == '\n';
  struct machine* machines = calloc(lines, sizeof(*machines));
  *count = 0;
  for (size_t place = 0; machines != NULL && place < text.len;) {
    const char* begin = text.ptr + place;
    const char* end = memchr(begin, '\n', text.len - place);
    const size_t length = end != NULL ? (size_t)(end - begin) : text.len - place;
    const int kind = read_line(begin, length, &machines[*count]);
    if (kind < 0) {
      free(machines);
      ccm_fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "a line is no machine");
      return NULL;
    }
    if (kind > 0) describe(&machines[(*count)++]);
    place += length + 1;
  }
  if (machines == NULL) {
    ccm_fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
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

/* The host copies the list before ccm_ok() returns. */
static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  (void)ctx;
  CCM_REFUSE_UNKNOWN(request, 0, done);
  size_t count;
  struct machine* machines = read_rack(self, &count, done);
  if (machines == NULL) return;
  const ccm_instance** instances = calloc(count + 1, sizeof(*instances));
  for (size_t i = 0; instances != NULL && i < count; ++i) instances[i] = &machines[i].instance;
  const ccm_instance_list all = {CCM_SIZED(ccm_instance_list), .instances = instances,
                                 .count = count};
  if (instances != NULL) {
    ccm_ok(done, &all);
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
  const ccm_interface config = ccm_service_of(request->host, CCM_HOST_CONFIG);
  struct provider* rack = malloc(sizeof(*rack));
  if (rack == NULL || config.table == NULL) {
    free(rack);
    ccm_fail(done, CCM_CODE_INTERNAL, CCM_CLASS_NONE, "no memory, or no " CCM_HOST_CONFIG);
    return;
  }
  *rack = (struct provider){config.table, config.self};
  ccm_ok_component(done, rack, offers, free);
}

CCM_ENTRY(.create = create);
