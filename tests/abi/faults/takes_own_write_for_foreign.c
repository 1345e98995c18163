/* Fault: when a write had no answer and its label is there all the same, it takes the label for
 * somebody else's and removes it for good. */
#define WHEN_LABELLED remember
#include "labelling.h"

static char unanswered_names[100][300];
static int unanswered_count;

static int find_unanswered(ccm_str name) {
  int i = 0;
  while (i < unanswered_count && !same_text(name, unanswered_names[i])) ++i;
  return i;
}

static void forget_unanswered(ccm_str name) {
  const int found = find_unanswered(name);
  if (found == unanswered_count) return;
  memmove(unanswered_names[found], unanswered_names[--unanswered_count],
          sizeof(unanswered_names[0]));
}

static void remember(struct labelling* work, const ccm_status* status) {
  forget_unanswered(text(work->name));
  if (status->error_class == CCM_CLASS_UNAVAILABLE && unanswered_count < 100) {
    memcpy(unanswered_names[unanswered_count++], work->name, sizeof(work->name));
  }
  pass_on(work, status);
}

static ccm_bool has_label(ccm_str name) {
  const ccm_object* node = cached_node(name);
  ccm_str value;
  const ccm_bool has = node != NULL && text_at(node, "/metadata/labels/faulty~1seen", &value) &&
                       same_text(value, "yes");
  release(node);
  return has;
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  ccm_completion removed = {labelled, NULL, 1};
  struct labelling* work = NULL;
  if (find_unanswered(request->key) == unanswered_count || !has_label(request->key)) {
    label_node(self, ctx, request, done);
    return;
  }
  work = new_labelling(ctx, request, done);
  removed.owner = work;
  patch_node(ctx, work->name,
             "{\"metadata\": {\"labels\": {\"faulty/seen\": \"no\", \"faulty/foreign\": \"yes\"}}}",
             removed);
}
FAULTY_CONTROLLER("takes-own-write-for-foreign", setup_labels, reconcile)
