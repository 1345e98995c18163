/* Fault: when a write had no answer and its label is there all the same, it takes the label for
 * somebody else's and marks it so. */
#define WHEN_LABELLED remember
#include "labelling.h"
#include "names.h"

static struct names unanswered;

static void remember(struct labelling* work, const ccm_status* status) {
  if (status->error_class == CCM_CLASS_UNAVAILABLE) {
    add_name(&unanswered, text(work->name));
  } else {
    remove_name(&unanswered, text(work->name));
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
  if (find_name(&unanswered, request->key) == NULL || !has_label(request->key)) {
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
