/* The functions that the host calls: the entry, the component, and the tables of a provider. */
#include "_cgo_export.h"
#include "glue.h"

#include <stdlib.h>
#include <string.h>

struct ccm_go_component {
  uintptr_t handle;
  ccm_provider provider;
  ccm_cloud_instances instances;
  ccm_cloud_loadbalancers load_balancers;
  ccm_cloud_routes routes;
  ccm_cloud_owned owned;
};

#define OPERATION(function, number, type)                                                   \
  static void function(void* self, ccm_ctx ctx, const type* request, ccm_completion done) { \
    ccmGoOperation(((ccm_go_component*)self)->handle, number, ctx, (void*)request, done);   \
  }
OPERATION(initialize, CCM_GO_INITIALIZE, ccm_initialize_request)
OPERATION(shutdown_, CCM_GO_SHUTDOWN, ccm_shutdown_request)
OPERATION(list_instances, CCM_GO_LIST_INSTANCES, ccm_list_instances_request)
OPERATION(describe_instances, CCM_GO_DESCRIBE_INSTANCES, ccm_describe_instances_request)
OPERATION(get_instance, CCM_GO_GET_INSTANCE, ccm_get_instance_request)
OPERATION(instance_limits, CCM_GO_INSTANCE_LIMITS, ccm_limits_request)
OPERATION(observe, CCM_GO_OBSERVE, ccm_load_balancer_request)
OPERATION(ensure, CCM_GO_ENSURE, ccm_load_balancer_request)
OPERATION(update_backends, CCM_GO_UPDATE_BACKENDS, ccm_load_balancer_request)
OPERATION(remove_, CCM_GO_REMOVE, ccm_load_balancer_request)
OPERATION(name, CCM_GO_NAME, ccm_load_balancer_request)
OPERATION(lane, CCM_GO_LANE, ccm_load_balancer_request)
OPERATION(load_balancer_limits, CCM_GO_LOAD_BALANCER_LIMITS, ccm_limits_request)
OPERATION(list_routes, CCM_GO_LIST_ROUTES, ccm_list_routes_request)
OPERATION(apply_routes, CCM_GO_APPLY_ROUTES, ccm_apply_routes_request)
OPERATION(route_limits, CCM_GO_ROUTE_LIMITS, ccm_limits_request)
OPERATION(list_owned, CCM_GO_LIST_OWNED, ccm_list_owned_request)
OPERATION(remove_owned, CCM_GO_REMOVE_OWNED, ccm_remove_owned_request)

static ccm_bool has_cluster_id(void* self) {
  return ccmGoHasClusterID(((ccm_go_component*)self)->handle);
}

ccm_go_component* ccm_go_component_new(uintptr_t handle, uint32_t functions) {
  ccm_go_component* made = calloc(1, sizeof(*made));
  if (made == NULL) return NULL;
#define SET(table, member, number, function) \
  if ((functions >> (number)) & 1u) made->table.member = function
  made->handle = handle;
  made->provider.size = sizeof(made->provider);
  SET(provider, initialize, CCM_GO_INITIALIZE, initialize);
  SET(provider, shutdown, CCM_GO_SHUTDOWN, shutdown_);
  SET(provider, has_cluster_id, CCM_GO_HAS_CLUSTER_ID, has_cluster_id);
  made->instances.size = sizeof(made->instances);
  SET(instances, list, CCM_GO_LIST_INSTANCES, list_instances);
  SET(instances, describe, CCM_GO_DESCRIBE_INSTANCES, describe_instances);
  SET(instances, get, CCM_GO_GET_INSTANCE, get_instance);
  SET(instances, limits, CCM_GO_INSTANCE_LIMITS, instance_limits);
  made->load_balancers.size = sizeof(made->load_balancers);
  SET(load_balancers, observe, CCM_GO_OBSERVE, observe);
  SET(load_balancers, ensure, CCM_GO_ENSURE, ensure);
  SET(load_balancers, update_backends, CCM_GO_UPDATE_BACKENDS, update_backends);
  SET(load_balancers, remove, CCM_GO_REMOVE, remove_);
  SET(load_balancers, name, CCM_GO_NAME, name);
  SET(load_balancers, lane, CCM_GO_LANE, lane);
  SET(load_balancers, limits, CCM_GO_LOAD_BALANCER_LIMITS, load_balancer_limits);
  made->routes.size = sizeof(made->routes);
  SET(routes, list, CCM_GO_LIST_ROUTES, list_routes);
  SET(routes, apply, CCM_GO_APPLY_ROUTES, apply_routes);
  SET(routes, limits, CCM_GO_ROUTE_LIMITS, route_limits);
  made->owned.size = sizeof(made->owned);
  SET(owned, list, CCM_GO_LIST_OWNED, list_owned);
  SET(owned, remove, CCM_GO_REMOVE_OWNED, remove_owned);
#undef SET
  return made;
}

void ccm_go_component_free(ccm_go_component* component) { free(component); }

static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) {
  ccm_go_component* component = self;
  const void* table = NULL;
  if (strcmp(id, CCM_PROVIDER) == 0) table = &component->provider;
  if (strcmp(id, CCM_CLOUD_INSTANCES) == 0) table = &component->instances;
  if (strcmp(id, CCM_CLOUD_LOADBALANCERS) == 0) table = &component->load_balancers;
  if (strcmp(id, CCM_CLOUD_ROUTES) == 0) table = &component->routes;
  if (strcmp(id, CCM_CLOUD_OWNED) == 0) table = &component->owned;
  if (table == NULL || !ccmGoOffers(component->handle, (char*)id)) return 0;
  out->self = component;
  out->table = table;
  return 1;
}

static void destroy(void* self) {
  ccm_go_component* component = self;
  ccmGoDestroy(component->handle);
  free(component);
}

void ccm_go_complete(ccm_completion done, const ccm_status* status, const void* result) {
  done.fn(done.owner, done.operation, status, result);
}

void ccm_go_created(ccm_go_component* component, ccm_completion done) {
  const ccm_status status = {.size = sizeof(status)};
  const ccm_component made = {
      .size = sizeof(made), .self = component, .get_interface = get_interface, .destroy = destroy};
  ccm_go_complete(done, &status, &made);
}

ccm_bool ccm_go_read(const void* from, void* to, size_t known, uint32_t known_flags) {
  if (!ccm_only_known(from, known, known_flags)) return 0;
  ccm_copy_known(to, known, from);
  return 1;
}

void ccm_go_copy(const void* from, void* to, size_t known) { ccm_copy_known(to, known, from); }

static void create(void* self, ccm_ctx ctx, const ccm_create_request* request,
                   ccm_completion done) {
  (void)self;
  ccmGoCreate(ctx, (ccm_create_request*)request, done);
}

/* The manifest as it stands in the ELF note, with a NUL, and its size with the NUL. The plugin's
 * manifest.go defines both; any other assembly or C file in its package may. They are missing in
 * tests of this package, which is no plugin. */
extern const char ccm_manifest_text[] __attribute__((weak, visibility("hidden")));
extern const uint32_t ccm_manifest_size __attribute__((weak, visibility("hidden")));

static ccm_plugin plugin = {.size = sizeof(plugin), .abi_minor = CCM_ABI_MINOR, .create = create};

/* Runs while the file is loaded: the entry itself does nothing. */
__attribute__((constructor)) static void set_manifest(void) {
  if (&ccm_manifest_size == NULL) return;
  plugin.manifest.ptr = ccm_manifest_text;
  plugin.manifest.len = ccm_manifest_size - 1; /* without its NUL */
}

CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void);
CCM_PLUGIN_EXPORT const ccm_plugin* ccm_plugin_v1(void) { return &plugin; }
