/* A controller that asks for the machine of each Node, and deletes the Node for a wrong reason. */
#define FAULTY_TABLE
#include "labelling.h"

struct deleting {
  struct fault fault;
  ccm_bool (*gone)(const ccm_status* status, int32_t state);
};

static ccm_bool neither_runs_nor_is_off(const ccm_status* status, int32_t state) {
  return status->code == CCM_CODE_OK && state != CCM_INSTANCE_RUNNING &&
         state != CCM_INSTANCE_SHUTDOWN && state != CCM_INSTANCE_STARTING;
}

static ccm_bool could_not_be_asked_for(const ccm_status* status, int32_t state) {
  return status->code == CCM_CODE_UNAVAILABLE || state == CCM_INSTANCE_ABSENT;
}

static struct deleting faults[] = {
    {{"deletes_unknown_machines", NULL}, neither_runs_nor_is_off},
    {{"deletes_when_listing_fails", NULL}, could_not_be_asked_for},
};

static void removed(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)operation;
  (void)result;
  pass_on((struct labelling*)owner, status);
}

static void described(void* owner, uint64_t operation, const ccm_status* status,
                      const void* result) {
  struct labelling* work = (struct labelling*)owner;
  const ccm_interface kube = service(CCM_HOST_KUBE);
  const ccm_completion done = {removed, work, 1};
  int32_t state = CCM_INSTANCE_UNKNOWN;
  ccm_kube_reference node;
  ccm_kube_delete_request request;
  (void)operation;
  if (result != NULL) state = ((const ccm_instance_list*)result)->instances[0]->state;
  if (!((const struct deleting*)the_row)->gone(status, state)) {
    pass_on(work, status);
    return;
  }
  memset(&node, 0, sizeof(node));
  node.size = sizeof(node);
  node.resource = text("v1/nodes");
  node.name = text(work->name);
  memset(&request, 0, sizeof(request));
  request.size = sizeof(request);
  request.reference = &node;
  ((const ccm_host_kube*)kube.table)->remove(kube.self, work->ctx, &request, done);
}

static void ask(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                ccm_completion done) {
  const ccm_interface cloud = service(CCM_CLOUD_INSTANCES);
  const ccm_object* node = cached_node(request->key);
  ccm_describe_instances_request describe;
  ccm_node_identity identity;
  const ccm_node_identity* identities = &identity;
  ccm_completion answered;
  (void)self;
  if (node == NULL || cloud.table == NULL) {
    release(node);
    succeed(done, NULL);
    return;
  }
  memset(&identity, 0, sizeof(identity));
  identity.size = sizeof(identity);
  identity.name = request->key;
  if (!text_at(node, "/spec/providerID", &identity.provider_id)) identity.provider_id.len = 0;
  memset(&describe, 0, sizeof(describe));
  describe.size = sizeof(describe);
  describe.nodes = &identities;
  describe.node_count = 1;
  answered.fn = described;
  answered.owner = new_labelling(ctx, request, done);
  answered.operation = 1;
  ((const ccm_cloud_instances*)cloud.table)->describe(cloud.self, ctx, &describe, answered);
  release(node);
}
FAULTY_CONTROLLER("deletes", setup_nodes, ask)
