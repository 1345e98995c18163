/* Fault: only memory knows that a second write is due after the first, so a new process leaves the
 * Node with the first alone. */
#define WHEN_LABELLED write_again
#include "labelling.h"

static char due_names[100][300];
static int due_count;

static int find_due(ccm_str name) {
  int i = 0;
  while (i < due_count && !same_text(name, due_names[i])) ++i;
  return i;
}

static void written_again(void* owner, uint64_t operation, const ccm_status* status,
                          const void* result) {
  struct labelling* work = (struct labelling*)owner;
  const int found = find_due(text(work->name));
  (void)operation;
  (void)result;
  if (status->code == CCM_CODE_OK && found < due_count) {
    memmove(due_names[found], due_names[--due_count], sizeof(due_names[0]));
  }
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
  const ccm_bool due = find_due(request->key) < due_count;
  (void)self;
  if (!lacks && !due) {
    succeed(done, NULL);
    return;
  }
  work = new_labelling(ctx, request, done);
  if (!due && due_count < 100) memcpy(due_names[due_count++], work->name, sizeof(work->name));
  if (lacks) {
    begin_label(work);
  } else {
    begin_second(work);
  }
}

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  due_count = 0;
  setup_labels(self, ctx, request, done);
}
FAULTY_CONTROLLER("forgets-second-write", setup, reconcile)
