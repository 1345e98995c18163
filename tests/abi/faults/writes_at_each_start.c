/* Fault: labels each Node with the number of its start, so that each start writes all of them. */
static unsigned starts;
static void begin_again(void* self) {
  (void)self;
  ++starts;
}
#define FAULTY_DESTROY begin_again
#include "labelling.h"

static ccm_bool is_labelled(ccm_str name, const char* number) {
  const ccm_object* node = cached_node(name);
  ccm_str value;
  const ccm_bool labelled_so =
      node == NULL || !text_at(node, "/spec/providerID", &value) ||
      (text_at(node, "/metadata/labels/faulty~1seen", &value) && same_text(value, number));
  release(node);
  return labelled_so;
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  struct labelling* work;
  ccm_completion written;
  char number[20];
  char body[100];
  (void)self;
  snprintf(number, sizeof(number), "%u", starts);
  if (is_labelled(request->key, number)) {
    succeed(done, NULL);
    return;
  }
  work = new_labelling(ctx, request, done);
  written.fn = labelled;
  written.owner = work;
  written.operation = 1;
  snprintf(body, sizeof(body), "{\"metadata\": {\"labels\": {\"faulty/seen\": \"%s\"}}}", number);
  patch_node(ctx, work->name, body, written);
}
FAULTY_CONTROLLER("writes-at-each-start", setup_labels, reconcile)
