/*
 * A whole cloud provider: the machines of a rack, one in each line of the file that --cloud-config
 * names. Straight-line C: the manifest says "nonblocking": false, so each operation runs on a
 * thread of the host's pool and may read files, wait, or call a vendor's library.
 */
#include "ccm_plugin_manifest.h"

#include <ccm/abi/config.h>
#include <ccm/abi/instances.h>
#include <ccm/abi/provider.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static ccm_str text_of(const char* text) { return (ccm_str){text, strlen(text)}; }

static void fail(ccm_completion done, int32_t code, int32_t error_class, const char* message) {
  const ccm_status status = {.size = sizeof(status),
                             .code = code,
                             .error_class = error_class,
                             .message = text_of(message)};
  done.fn(done.owner, done.operation, &status, NULL);
}

static void succeed(ccm_completion done, const void* result) {
  const ccm_status status = {.size = sizeof(status), .code = CCM_CODE_OK};
  done.fn(done.owner, done.operation, &status, result);
}

/* Fills in what the host wants to know. Nothing points outside of `machine`, which must not move
 * afterwards. */
static void describe(struct machine* machine) {
  snprintf(machine->provider_id, sizeof(machine->provider_id), "rack://%s", machine->serial);
  snprintf(machine->zone, sizeof(machine->zone), "row-%s", machine->row);
  machine->addresses[0] = (ccm_node_address){text_of("InternalIP"), text_of(machine->address)};
  machine->addresses[1] = (ccm_node_address){text_of("Hostname"), text_of(machine->host)};
  machine->label = (ccm_key_value){text_of("rack.example.com/serial"), text_of(machine->serial)};
  machine->instance = (ccm_instance){
      .size = sizeof(ccm_instance),
      /* A machine that is switched off still exists; only TERMINATED would lose its Node. */
      .state = strcmp(machine->power, "on") == 0 ? CCM_INSTANCE_RUNNING : CCM_INSTANCE_SHUTDOWN,
      .provider_id = text_of(machine->provider_id),
      .name = text_of(machine->host),
      .instance_type = text_of(machine->model),
      .zone = text_of(machine->zone),
      .region = text_of("cellar"),
      .addresses = machine->addresses,
      .address_count = 2,
      .labels = &machine->label,
      .label_count = 1};
}

/* One line of the file: 1 = a machine, 0 = empty or a comment, -1 = something else. */
static int read_line(const char* begin, size_t length, struct machine* machine) {
  char line[512], more;
  if (length >= sizeof(line)) return -1;
  memcpy(line, begin, length);
  line[length] = '\0';
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
    fail(done, CCM_CODE_INVALID_ARGUMENT, CCM_CLASS_NONE,
         "--cloud-config must name a file with a machine in each line: SERIAL HOST ADDRESS MODEL "
         "ROW on|off");
    return NULL;
  }
  size_t fault;
  struct machine* machines = read_machines(text, count, &fault);
  if (machines == NULL) {
    char message[80];
    snprintf(message, sizeof(message), "line %zu is not SERIAL HOST ADDRESS MODEL ROW on|off",
             fault);
    fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, fault > 0 ? message : "out of memory");
  }
  return machines;
}

static void initialize(void* self, const ccm_ctx* ctx, ccm_completion done) {
  (void)ctx;
  size_t count;
  struct machine* machines = read_rack(self, &count, done);
  if (machines == NULL) return;
  free(machines);
  succeed(done, NULL);
}

/* The host answers every controller from this one listing. It copies the list before `succeed`
 * returns. */
static void list(void* self, const ccm_ctx* ctx, ccm_completion done) {
  (void)ctx;
  size_t count;
  struct machine* machines = read_rack(self, &count, done);
  if (machines == NULL) return;
  const ccm_instance** instances = calloc(count + 1, sizeof(*instances));
  if (instances != NULL) {
    for (size_t i = 0; i < count; ++i) instances[i] = &machines[i].instance;
    const ccm_instance_list result = {
        .size = sizeof(result), .instances = instances, .count = count};
    succeed(done, &result);
  } else {
    fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  }
  free(instances);
  free(machines);
}

static bool get_interface(void* self, const char* id, ccm_interface* out) {
  static const ccm_provider provider = {.size = sizeof(provider), .initialize = initialize};
  static const ccm_cloud_instances instances = {.size = sizeof(instances), .list = list};
  if (strcmp(id, CCM_PROVIDER) == 0) {
    *out = (ccm_interface){self, &provider};
  } else if (strcmp(id, CCM_CLOUD_INSTANCES) == 0) {
    *out = (ccm_interface){self, &instances};
  } else {
    return false;
  }
  return true;
}

static void destroy(void* self) { free(self); }

static void create(const ccm_host* host, ccm_str component, ccm_completion done) {
  (void)component; /* the manifest lists only one */
  ccm_interface config;
  struct provider* provider = malloc(sizeof(*provider));
  if (provider == NULL || !host->get_interface(host->self, CCM_HOST_CONFIG, &config)) {
    free(provider);
    fail(done, CCM_CODE_INTERNAL, CCM_CLASS_NONE,
         "out of memory, or a host without " CCM_HOST_CONFIG);
    return;
  }
  provider->config = config.table;
  provider->config_self = config.self;
  const ccm_component made = {
      .size = sizeof(made), .self = provider, .get_interface = get_interface, .destroy = destroy};
  succeed(done, &made);
}

CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);
CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) {
  static ccm_plugin plugin = {.size = sizeof(plugin), .abi_minor = CCM_ABI_MINOR, .create = create};
  plugin.manifest = ccm_plugin_manifest;
  return &plugin;
}
