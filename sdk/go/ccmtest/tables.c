#include "tables.h"

#include "_cgo_export.h"

#include <stdlib.h>
#include <string.h>

/* Owners are numbers as often as pointers, and Go's runtime bears no pointer that is none:
 * callbacks stay in C. */
static ccm_callback* kept(ccm_callback callback) {
  ccm_callback* copy = malloc(sizeof(*copy));
  *copy = callback;
  return copy;
}

/* The plugin is linked into the test itself. */
extern const ccm_plugin* ccm_plugin_v1(void) __attribute__((weak));

static ccm_bool enabled(void* self, int32_t level) { return (void)self, level <= CCM_LOG_INFO; }
static void log_write(void* self, ccm_ctx ctx, const ccm_log_record* record) {
  (void)self, testLog(ctx.id, (ccm_log_record*)record);
}
static const ccm_host_log log_table = {sizeof(log_table), 0, enabled, log_write};

static ccm_ctx background(void* self) { return (void)self, (ccm_ctx){0}; }
static ccm_ctx with_timeout(void* self, ccm_ctx parent, int64_t timeout_ms) {
  return (void)self, (ccm_ctx){testChild(parent.id, timeout_ms)};
}
static void cancel(void* self, ccm_ctx ctx) { (void)self, testCancel(ctx.id); }
static int64_t remaining_ms(void* self, ccm_ctx ctx) { return (void)self, testRemaining(ctx.id); }
static ccm_bool ended(void* self, ccm_ctx ctx) { return (void)self, testRemaining(ctx.id) <= 0; }
static int32_t end_code(void* self, ccm_ctx ctx) {
  return ended(self, ctx) ? CCM_CODE_CANCELLED : 0;
}
static uint64_t on_end(void* self, ccm_ctx ctx, ccm_callback callback) {
  return (void)self, testOnEnd(ctx.id, kept(callback));
}
static void remove_on_end(void* self, ccm_ctx ctx, uint64_t number) {
  (void)self, (void)ctx, (void)number;
}
static const ccm_host_ctx ctx_table = {
    sizeof(ctx_table), 0,     background, with_timeout, cancel,
    remaining_ms,      ended, end_code,   on_end,       remove_on_end};

static ccm_bool flag(void* self, ccm_str name, ccm_str* out) {
  return (void)self, testFlag(name, out);
}
static ccm_bool flag_given(void* self, ccm_str name) {
  ccm_str value;
  return flag(self, name, &value);
}
static ccm_bool cloud_config(void* self, ccm_str* out) { return (void)self, testConfig(out); }
static int64_t secret(void* self, ccm_str name, char* buffer, size_t capacity) {
  return (void)self, testSecret(name, buffer, capacity);
}
static ccm_bool on_change(void* self, ccm_callback callback) {
  return (void)self, testOnChange(kept(callback));
}
static void rejected(void* self, ccm_str file, ccm_str reason) {
  (void)self, (void)file, testRejected(reason);
}
static void accepted(void* self, ccm_str file) { (void)self, (void)file; }
static const ccm_host_config config_table = {
    sizeof(config_table), 0, flag, flag_given, cloud_config, secret, on_change, rejected, accepted};

static int64_t clock_ms(void* self) { return (void)self, 1000; }
static uint64_t after(void* self, int64_t delay_ms, ccm_callback callback) {
  return (void)self, testAfter(delay_ms, kept(callback));
}
static void cancel_timer(void* self, uint64_t timer) { (void)self, testCancelTimer(timer); }
static const ccm_host_timer timer_table = {sizeof(timer_table), 0, clock_ms, clock_ms, after,
                                           cancel_timer};

static void send(void* self, ccm_ctx ctx, const ccm_http_request* request, ccm_completion done) {
  ccm_completion* copy = malloc(sizeof(*copy));
  *copy = done;
  (void)self, testSend(ctx.id, (ccm_http_request*)request, copy);
}
static const ccm_host_http http_table = {sizeof(http_table), 0, send, NULL};

static void retain(void* self, const ccm_object* object) {
  (void)self, testRetain((uintptr_t)object, 1);
}
static void release(void* self, const ccm_object* object) {
  (void)self, testRetain((uintptr_t)object, -1);
}
static ccm_value find(void* self, const ccm_object* object, ccm_str pointer) {
  return (void)self, (ccm_value){object, pointer.len};
}
/* The address is what counts, as of the other one. */
#define KUBE_SYSTEM ((const ccm_object*)(uintptr_t)0x2000)
static ccm_bool text(void* self, ccm_value value, ccm_str* out) {
  if (value.object == KUBE_SYSTEM) return testClusterUID(out);
  (void)self;
  *out = (ccm_str){"of a field", 10};
  return 1;
}
static const ccm_host_object object_table = {
    .size = sizeof(object_table), .retain = retain, .release = release, .find = find, .text = text};

static void read_file(void* self, ccm_ctx ctx, const ccm_read_file_request* request,
                      ccm_completion done) {
  ccm_completion* copy = malloc(sizeof(*copy));
  *copy = done;
  (void)self, (void)ctx, testReadFile(request->path, copy);
}
static uint64_t watch(void* self, ccm_str path, ccm_callback callback) {
  return (void)self, testWatch(path, kept(callback));
}
static void unwatch(void* self, uint64_t number) { (void)self, testUnwatch(number); }
static const ccm_host_file file_table = {sizeof(file_table), 0, read_file, watch, unwatch};

static uint64_t define(void* self, const ccm_metric* metric) {
  return (void)self, testDefine((ccm_metric*)metric);
}
static void record(void* self, uint64_t metric, const ccm_str* values, size_t count, double value) {
  (void)self, testRecord(metric, (ccm_str*)values, count, value);
}
static const ccm_host_metrics metrics_table = {sizeof(metrics_table), 0, define, record};

static void event(void* self, const ccm_event* about) { (void)self, testEvent((ccm_event*)about); }
static const ccm_host_event event_table = {sizeof(event_table), 0, event};

static void hint(void* self, const ccm_hint* about) { (void)self, testHint((ccm_hint*)about); }
static const ccm_host_hint hint_table = {sizeof(hint_table), 0, hint};

static void get(void* self, ccm_ctx ctx, const ccm_kube_get_request* request, ccm_completion done) {
  ccm_str uid;
  ccm_status status = {.size = sizeof(status)};
  (void)self, (void)ctx, (void)request;
  if (!testClusterUID(&uid)) status.code = CCM_CODE_PERMISSION_DENIED;
  done.fn(done.owner, done.operation, &status, status.code == 0 ? KUBE_SYSTEM : NULL);
}
static const ccm_host_kube kube_table = {.size = sizeof(kube_table), .get = get};

static ccm_bool leading(void* self) { return (void)self, testLeading(); }
static uint64_t transitions(void* self) { return (void)self, testTransitions(); }
static ccm_bool on_leading(void* self, ccm_callback callback) {
  return (void)self, testOnLeading(kept(callback));
}
static const ccm_host_leader leader_table = {sizeof(leader_table), 0, leading, transitions,
                                             on_leading};

static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) {
  static const struct {
    const char* id;
    const void* table;
  } services[] = {{CCM_HOST_LOG, &log_table},       {CCM_HOST_CTX, &ctx_table},
                  {CCM_HOST_CONFIG, &config_table}, {CCM_HOST_TIMER, &timer_table},
                  {CCM_HOST_HTTP, &http_table},     {CCM_HOST_OBJECT, &object_table},
                  {CCM_HOST_FILE, &file_table},     {CCM_HOST_METRICS, &metrics_table},
                  {CCM_HOST_EVENT, &event_table},   {CCM_HOST_HINT, &hint_table},
                  {CCM_HOST_LEADER, &leader_table}, {CCM_HOST_KUBE, &kube_table}};
  for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); ++i) {
    if (strcmp(id, services[i].id) != 0) continue;
    *out = (ccm_interface){self, services[i].table};
    return 1;
  }
  return 0;
}
static const ccm_host host = {.size = sizeof(host),
                              .abi_minor = CCM_ABI_MINOR,
                              .flags = CCM_NONBLOCKING,
                              .get_interface = get_interface};

static void completed(void* owner, uint64_t number, const ccm_status* status, const void* result) {
  (void)owner, testCompleted(number, (ccm_status*)status, (void*)result);
}

void test_create(const char* name, uint64_t number) {
  const ccm_create_request request = {sizeof(request), 0, &host, {name, strlen(name)}};
  ccm_plugin_v1()->create(NULL, (ccm_ctx){0}, &request, (ccm_completion){completed, NULL, number});
}

ccm_bool test_offers(const ccm_component* component, const char* id) {
  ccm_interface found;
  return component->get_interface(component->self, id, &found);
}

void test_destroy(const ccm_component* component) { component->destroy(component->self); }

ccm_bool test_operation(const ccm_component* component, const char* name, uint64_t ctx,
                        uint32_t extra, uint64_t number) {
  const ccm_completion done = {completed, NULL, number};
  /* A field: the address is what counts, there is no such object. */
  const ccm_object* object = (const ccm_object*)(uintptr_t)0x1000;
  const ccm_node_identity node = {.size = sizeof(node), .name = {"worker-1", 8}, .node = object};
  const ccm_node_identity* const nodes[] = {&node, &node};
  ccm_interface found = {NULL, NULL};
  const char* id = strchr(name, '.') == NULL ? CCM_PROVIDER
                   : name[0] == 'i'          ? CCM_CLOUD_INSTANCES
                   : name[0] == 'o'          ? CCM_CLOUD_OWNED
                                             : CCM_CLOUD_LOADBALANCERS;
  if (!component->get_interface(component->self, id, &found)) return 0;
  const ccm_provider* provider = found.table;
  const ccm_cloud_instances* instances = found.table;
  const ccm_cloud_loadbalancers* balancers = found.table;
#define CALL(text, function, ...)                                 \
  if (strcmp(name, text) == 0) {                                  \
    if ((function) == NULL) return 0;                             \
    (function)(found.self, (ccm_ctx){ctx}, &(__VA_ARGS__), done); \
    return 1;                                                     \
  }
  CALL("initialize", provider->initialize,
       (ccm_initialize_request){sizeof(ccm_initialize_request), extra})
  CALL("shutdown", provider->shutdown, (ccm_shutdown_request){sizeof(ccm_shutdown_request), extra})
  CALL("instances.list", instances->list,
       (ccm_list_instances_request){sizeof(ccm_list_instances_request), extra})
  CALL("instances.describe", instances->describe,
       (ccm_describe_instances_request){sizeof(ccm_describe_instances_request), extra, nodes, 2})
  CALL("instances.get", instances->get,
       (ccm_get_instance_request){sizeof(ccm_get_instance_request), extra, &node})
  const ccm_cloud_owned* owned = found.table;
  const ccm_str clusters[] = {{"prod", 4}, {"cluster-uid", 11}};
  const ccm_key_value of = {{"default/web", 11}, {"uid", 3}};
  const ccm_owned_object lost = {.size = sizeof(lost),
                                 .kind = {"load-balancer", 13},
                                 .id = {"lb-1", 4},
                                 .cluster = {"prod", 4},
                                 .services = &of,
                                 .service_count = 1};
  CALL("owned.list", owned->list,
       (ccm_list_owned_request){sizeof(ccm_list_owned_request), CCM_OWNED_CLUSTER_GIVEN | extra,
                                clusters, 2})
  CALL("owned.remove", owned->remove,
       (ccm_remove_owned_request){sizeof(ccm_remove_owned_request),
                                  CCM_OWNED_OBJECT_CONFIRMED | extra, clusters, 2, &lost})
  const ccm_service_port port = {
      .size = sizeof(port), .port = 80, .node_port = 30080, .protocol = {"TCP", 3}};
  const ccm_service_port* const ports[] = {&port};
  const ccm_service service = {.size = sizeof(service),
                               .flags = CCM_SERVICE_LOCAL_TRAFFIC,
                               .uid = {"uid", 3},
                               .ports = ports,
                               .port_count = 1,
                               .object = object};
  const ccm_backend backend = {.size = sizeof(backend), .name = {"worker-1", 8}};
  const ccm_backend* const backends[] = {&backend};
  const ccm_load_balancer_request with_backends = {sizeof(with_backends), extra, &service, backends,
                                                   1};
  const ccm_load_balancer_request without = {sizeof(without), extra, &service, NULL, 0};
  CALL("loadbalancers.ensure", balancers->ensure, with_backends)
  CALL("loadbalancers.observe", balancers->observe, with_backends)
  CALL("loadbalancers.update", balancers->update_backends, with_backends)
  CALL("loadbalancers.delete", balancers->remove, without)
  CALL("loadbalancers.name", balancers->name, without)
  return 0;
}

void test_run(const ccm_callback* callback) { callback->fn(callback->owner); }
void test_drop(ccm_callback* callback) {
  if (callback->drop != NULL) callback->drop(callback->owner);
  free(callback);
}
void test_complete(ccm_completion* done, const ccm_status* status, const void* result) {
  done->fn(done->owner, done->operation, status, result);
  free(done);
}
