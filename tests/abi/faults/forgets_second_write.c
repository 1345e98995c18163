/* Fault: only memory knows that a second write is due after the first, so a new process leaves the
 * Node with the first alone. */
#define WHEN_LABELLED write_again
#include "labelling.h"
#include "names.h"

static struct names due;

static void written_again(void* owner, uint64_t operation, const ccm_status* status,
                          const void* result) {
  struct labelling* work = (struct labelling*)owner;
  (void)operation;
  (void)result;
  if (status->code == CCM_CODE_OK) remove_name(&due, text(work->name));
  pass_on(work, status);
}

static void begin_second(struct labelling* work) {
  const ccm_completion done = {written_again, work, 1};
  patch_node(work->ctx, work->name, "{\"metadata\": {\"labels\": {\"faulty/done\": \"yes\"}}}",
             done);
}

static void write_again(struct labelling* work, const ccm_status* status) {
  if (status->code == CCM_CODE_OK) {
    begin_second(work);
  } else {
    pass_on(work, status);
  }
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  struct labelling* work = NULL;
  const ccm_bool lacks = lacks_label(request->key);
  (void)self;
  if (!lacks && find_name(&due, request->key) == NULL) {
    succeed(done, NULL);
    return;
  }
  work = new_labelling(ctx, request, done);
  add_name(&due, request->key);
  if (lacks) {
    begin_label(work);
  } else {
    begin_second(work);
  }
}

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  memset(&due, 0, sizeof(due));
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("forgets-second-write", setup, reconcile)
