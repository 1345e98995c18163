/*
 * The provider: which machines there are, and a load balancer for each Service that wants one. Straight-line C: the
 * manifest says "nonblocking": false, so each operation runs on a thread of the host's pool and may wait.
 */
#include "ccm_plugin_manifest.h"
#include "load_balancers.h"
#include "machines.h"

/* Called once. INVALID_ARGUMENT ends the host with its message; other failures are retried. */
static void initialize(void *self, ccm_ctx ctx, const ccm_initialize_request *request, ccm_completion done) {
  CCM_REFUSE_UNKNOWN(request, 0, done);
  list_machines(self, ctx, 0, done);
}

static void list(void *self, ccm_ctx ctx, const ccm_list_instances_request *request, ccm_completion done) {
  CCM_REFUSE_UNKNOWN(request, 0, done);
  list_machines(self, ctx, 1, done);
}

static const ccm_provider provider = {CCM_SIZED(ccm_provider), .initialize = initialize};
static const ccm_cloud_instances instances = {CCM_SIZED(ccm_cloud_instances), .list = list};
static const ccm_cloud_loadbalancers load_balancers = {
    CCM_SIZED(ccm_cloud_loadbalancers), .ensure = ensure_load_balancer, .remove = remove_load_balancer};
CCM_OFFERS(offers, {CCM_PROVIDER, &provider}, {CCM_CLOUD_INSTANCES, &instances},
           {CCM_CLOUD_LOADBALANCERS, &load_balancers});

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
