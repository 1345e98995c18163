/* The faultless part of plugins that misbehave once they run: the manifest, the entry, `create` and
 * `destroy`. Each file has one fault, or a table of them (table.h), and brings the functions of its
 * provider or controller. */
#ifndef CCM_TESTS_ABI_FAULTY_H
#define CCM_TESTS_ABI_FAULTY_H

#include <ccm/abi/config.h>
#include <ccm/abi/controller.h>
#include <ccm/abi/event.h>
#include <ccm/abi/file.h>
#include <ccm/abi/http.h>
#include <ccm/abi/instances.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/leader.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/plugin.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/queue.h>
#include <ccm/abi/timer.h>
#include <ccm/abi/worker.h>

#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define MAYBE_UNUSED __attribute__((unused))
#endif

#ifdef FAULTY_TABLE
#include "table.h"
#endif

/* The host of the component; there is one. */
static const ccm_host* the_host MAYBE_UNUSED;

MAYBE_UNUSED static ccm_str text(const char* content) {
  ccm_str made;
  made.ptr = content;
  made.len = strlen(content);
  return made;
}

MAYBE_UNUSED static ccm_interface service(const char* id) {
  ccm_interface found = {NULL, NULL};
  the_host->get_interface(the_host->self, id, &found);
  return found;
}

MAYBE_UNUSED static void end_with(ccm_completion done, int32_t code, const char* message,
                                  const void* result) {
  ccm_status status;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = code;
  status.message = text(message);
  done.fn(done.owner, done.operation, &status, result);
}

MAYBE_UNUSED static void succeed(ccm_completion done, const void* result) {
  end_with(done, CCM_CODE_OK, "", result);
}

/* Whether a request was refused because it asks for something unknown. */
MAYBE_UNUSED static ccm_bool refuses_unknown(ccm_bool known, ccm_completion done) {
  ccm_status status;
  if (known) return 0;
  memset(&status, 0, sizeof(status));
  status.size = sizeof(status);
  status.code = CCM_CODE_UNIMPLEMENTED;
  status.error_class = CCM_CLASS_UNSUPPORTED;
  status.reason = text(CCM_REASON_UNKNOWN_REQUEST);
  done.fn(done.owner, done.operation, &status, NULL);
  return 1;
}

MAYBE_UNUSED static ccm_bool same_text(ccm_str left, const char* right) {
  return left.len == strlen(right) && memcmp(left.ptr, right, left.len) == 0;
}

/* A machine as it should be. */
MAYBE_UNUSED static ccm_instance machine(const char* name, const char* provider_id) {
  static ccm_node_address address;
  ccm_instance made;
  address.type = text("InternalIP");
  address.address = text("192.0.2.10");
  memset(&made, 0, sizeof(made));
  made.size = sizeof(made);
  made.state = CCM_INSTANCE_RUNNING;
  made.addresses = &address;
  made.address_count = 1;
  made.name = text(name);
  made.provider_id = text(provider_id);
  return made;
}

/* Completes a listing with these machines. */
MAYBE_UNUSED static void succeed_with(ccm_completion done, const ccm_instance* const* instances,
                                      size_t count) {
  ccm_instance_list list;
  memset(&list, 0, sizeof(list));
  list.size = sizeof(list);
  list.instances = instances;
  list.count = count;
  succeed(done, &list);
}

/* A listing of no machines. */
MAYBE_UNUSED static void list_nothing(void* self, ccm_ctx ctx,
                                      const ccm_list_instances_request* request,
                                      ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed_with(done, NULL, 0);
}

/* A listing of one machine as it should be, "node-1". */
MAYBE_UNUSED static void list_one(void* self, ccm_ctx ctx,
                                  const ccm_list_instances_request* request, ccm_completion done) {
  const ccm_instance one = machine("node-1", "faulty://1");
  const ccm_instance* all[1];
  (void)self;
  (void)ctx;
  (void)request;
  all[0] = &one;
  succeed_with(done, all, 1);
}

/* Completes a listing with one machine as it should be, and `other`. */
MAYBE_UNUSED static void succeed_with_sound_and(ccm_completion done, const ccm_instance* other) {
  const ccm_instance sound = machine("sound", "faulty://sound");
  const ccm_instance* both[2];
  both[0] = &sound;
  both[1] = other;
  succeed_with(done, both, 2);
}

/* Reconcile of a controller that has nothing to do. */
MAYBE_UNUSED static void reconcile_nothing(void* self, ccm_ctx ctx,
                                           const ccm_reconcile_request* request,
                                           ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  succeed(done, NULL);
}

MAYBE_UNUSED static void add_key(ccm_str key, int32_t priority, int64_t delay_ms) {
  const ccm_interface found = service(CCM_HOST_QUEUE);
  ccm_queue_item item;
  memset(&item, 0, sizeof(item));
  item.size = sizeof(item);
  item.key = key;
  item.priority = priority;
  item.delay_ms = delay_ms;
  ((const ccm_host_queue*)found.table)->add(found.self, &item);
}

/* Declares a watch of these fields of Nodes. */
MAYBE_UNUSED static void watch_fields(const ccm_str* fields, size_t count, ccm_map_fn map) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  ccm_watch watch;
  memset(&watch, 0, sizeof(watch));
  watch.size = sizeof(watch);
  watch.resource = text("v1/nodes");
  watch.fields = fields;
  watch.field_count = count;
  watch.map = map;
  ((const ccm_host_setup*)found.table)->watch(found.self, &watch);
}

MAYBE_UNUSED static void watch_nodes(ccm_map_fn map) {
  const ccm_str field = text("/spec/providerID");
  watch_fields(&field, 1, map);
}

MAYBE_UNUSED static void setup_nodes(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                     ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  watch_nodes(NULL);
  succeed(done, NULL);
}

#ifndef FAULTY_DESTROY
MAYBE_UNUSED static void destroy_nothing(void* self) { (void)self; }
#define FAULTY_DESTROY destroy_nothing
#endif

/* What the component's functions get. */
#ifndef FAULTY_SELF
#define FAULTY_SELF NULL
#endif

#ifndef FAULTY_CREATE
#define FAULTY_CREATE create_component
#endif

#ifndef FAULTY_OPEN
#define FAULTY_OPEN NULL
#endif

#ifndef FAULTY_NONBLOCKING
#define FAULTY_NONBLOCKING "true"
#endif

/* Further members of the component in the manifest. */
#ifndef FAULTY_COMPONENT
#define FAULTY_COMPONENT ""
#endif

/* Further members of the manifest. */
#ifndef FAULTY_MANIFEST
#define FAULTY_MANIFEST ""
#endif

/* The rights that a controller of Nodes needs. */
#ifndef FAULTY_RIGHTS
#define FAULTY_RIGHTS                                                                    \
  ", \"rbac\": [{\"apiGroups\": [\"\"], \"resources\": [\"nodes\"], \"optional\": true," \
  " \"verbs\": [\"get\", \"list\", \"watch\", \"patch\", \"delete\"]}]"
#endif

/* A component of that kind whose only interface is `id`, with that table. */
#define FAULTY_PLUGIN(name, kind, id, the_table)                                               \
  CCM_PLUGIN_MANIFEST("{\"id\": \"faulty." name                                                \
                      "\", \"version\": \"1.0.0\", \"abi\": \"1.0\","                          \
                      " \"nonblocking\": " FAULTY_NONBLOCKING FAULTY_RIGHTS FAULTY_MANIFEST    \
                      ", \"components\": [{\"kind\": \"" kind "\", \"name\": \"" name          \
                      "\"" FAULTY_COMPONENT "}]}");                                            \
  MAYBE_UNUSED static ccm_bool get_table(void* self, const char* wanted, ccm_interface* out) { \
    if (strcmp(wanted, id) != 0) return 0;                                                     \
    out->self = self;                                                                          \
    out->table = the_table;                                                                    \
    return 1;                                                                                  \
  }                                                                                            \
  MAYBE_UNUSED static void create_component(                                                   \
      void* self, ccm_ctx ctx, const ccm_create_request* request, ccm_completion done) {       \
    ccm_component made;                                                                        \
    (void)self;                                                                                \
    (void)ctx;                                                                                 \
    if (!same_text(request->component, name)) {                                                \
      end_with(done, CCM_CODE_NOT_FOUND, "there is no such component", NULL);                  \
      return;                                                                                  \
    }                                                                                          \
    the_host = request->host;                                                                  \
    memset(&made, 0, sizeof(made));                                                            \
    made.size = sizeof(made);                                                                  \
    made.self = FAULTY_SELF;                                                                   \
    made.get_interface = get_table;                                                            \
    made.destroy = FAULTY_DESTROY;                                                             \
    succeed(done, &made);                                                                      \
  }                                                                                            \
  FAULTY_ENTRY

#ifdef __cplusplus
#define FAULTY_C extern "C"
#else
#define FAULTY_C
#endif

#define FAULTY_ENTRY                                                 \
  FAULTY_C CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);  \
  FAULTY_C CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) { \
    static ccm_plugin plugin;                                        \
    plugin.size = sizeof(plugin);                                    \
    plugin.abi_minor = CCM_ABI_MINOR;                                \
    plugin.manifest = ccm_plugin_manifest;                           \
    plugin.open = FAULTY_OPEN;                                       \
    plugin.create = FAULTY_CREATE;                                   \
    return &plugin;                                                  \
  }

/* A provider that only lists; `list_fn` has the fault. */
#define FAULTY_LIST(name, list_fn)                                                                 \
  static void list_what_is_known(void* self, ccm_ctx ctx,                                          \
                                 const ccm_list_instances_request* request, ccm_completion done) { \
    if (!refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) {                    \
      list_fn(self, ctx, request, done);                                                           \
    }                                                                                              \
  }                                                                                                \
  static const ccm_cloud_instances the_instances = {                                               \
      sizeof(the_instances), 0, list_what_is_known, NULL, NULL, NULL};                             \
  FAULTY_PLUGIN(name, "provider", CCM_CLOUD_INSTANCES, &the_instances)

/* A controller; one of the two has the fault. */
#define FAULTY_CONTROLLER(name, setup_fn, reconcile_fn)                                            \
  static void setup_what_is_known(void* self, ccm_ctx ctx, const ccm_setup_request* request,       \
                                  ccm_completion done) {                                           \
    if (!refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) {                    \
      setup_fn(self, ctx, request, done);                                                          \
    }                                                                                              \
  }                                                                                                \
  static void reconcile_what_is_known(void* self, ccm_ctx ctx,                                     \
                                      const ccm_reconcile_request* request, ccm_completion done) { \
    if (!refuses_unknown(ccm_only_known(request, sizeof(*request), 0), done)) {                    \
      reconcile_fn(self, ctx, request, done);                                                      \
    }                                                                                              \
  }                                                                                                \
  FAULTY_CONTROLLER_TABLE(name, setup_what_is_known, reconcile_what_is_known, NULL)

#define FAULTY_CONTROLLER_TABLE(name, setup_fn, reconcile_fn, stop_fn)                             \
  static const ccm_controller the_controller = {sizeof(the_controller), 0, setup_fn, reconcile_fn, \
                                                stop_fn};                                          \
  FAULTY_PLUGIN(name, "controller", CCM_CONTROLLER, &the_controller)

#endif
