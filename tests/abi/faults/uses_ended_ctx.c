/* Fault: keeps the ctx of its first reconcile and uses it in all later ones. A reconcile ends as
 * the operation did that it began with that ctx. */
#include "faulty.h"

#include <ccm/abi/ctx.h>

static ccm_ctx kept;
static int calls;
static int drops;

static void never(void* owner) { (void)owner; }

static void dropped(void* owner) {
  (void)owner;
  ++drops;
}

static void ended(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  ccm_completion* done = (ccm_completion*)owner;
  (void)operation;
  (void)result;
  done->fn(done->owner, done->operation, status, NULL);
  free(done);
}

static void use(void) {
  const ccm_interface found = service(CCM_HOST_CTX);
  const ccm_host_ctx* table = (const ccm_host_ctx*)found.table;
  ccm_callback callback;
  callback.fn = never;
  callback.drop = dropped;
  callback.owner = NULL;
  if (!table->ended(found.self, kept)) abort();
  if (table->end_code(found.self, kept) != CCM_CODE_CANCELLED) abort();
  if (table->remaining_ms(found.self, kept) > 0) abort();
  if (!table->ended(found.self, table->with_timeout(found.self, kept, 1000))) abort();
  table->cancel(found.self, kept);
  table->remove_on_end(found.self, kept, table->on_end(found.self, kept, callback));
  if (drops != 1) abort();
  drops = 0;
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_HTTP);
  ccm_http_request wanted;
  ccm_completion after;
  ccm_completion* copy;
  if (calls++ == 0) {
    kept = ctx;
    reconcile_nothing(self, ctx, request, done);
    return;
  }
  use();
  copy = (ccm_completion*)malloc(sizeof(*copy));
  if (copy == NULL) abort();
  *copy = done;
  after.fn = ended;
  after.owner = copy;
  after.operation = 0;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.url = text("http://192.0.2.1/");
  ((const ccm_host_http*)found.table)->send(found.self, kept, &wanted, after);
}
FAULTY_CONTROLLER("uses-ended-ctx", setup_nodes, reconcile)
