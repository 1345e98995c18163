/* A controller with one fault in what it remembers of its writes. */
#define FAULTY_TABLE
#define WHEN_LABELLED as_the_row_says
#include "labelling.h"
#include "names.h"

struct memory {
  struct fault fault;
  void (*setup)(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done);
  void (*reconcile)(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                    ccm_completion done);
  void (*labelled)(struct labelling* work, const ccm_status* status);
};

static void as_the_row_says(struct labelling* work, const ccm_status* status) {
  ((const struct memory*)the_row)->labelled(work, status);
}

/* It takes a reconcile that was cancelled for an open one, and completes it in destroy. */
static ccm_completion cancelled;

static void remember_cancelled(struct labelling* work, const ccm_status* status) {
  if (status->code == CCM_CODE_CANCELLED) cancelled = work->done;
  pass_on(work, status);
}

static void complete_the_cancelled(void* self) {
  (void)self;
  if (cancelled.fn == NULL) return;
  end_with(cancelled, CCM_CODE_CANCELLED, "the component ends", NULL);
  cancelled.fn = NULL;
}

/* Only memory knows that a second write is due after the first, so a new process leaves the Node
 * with the first alone. */
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

static void write_twice(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
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

static void forget_all(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                       ccm_completion done) {
  memset(&due, 0, sizeof(due));
  setup_labels(self, ctx, request, done);
}

/* When a write had no answer and its label is there all the same, it takes the label for somebody
 * else's and marks it so. */
static struct names unanswered;

static void remember_unanswered(struct labelling* work, const ccm_status* status) {
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

static void mark_as_foreign(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
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

/* It labels each Node with the number of its start, so that each start writes all of them. */
static unsigned starts;
static void begin_again(void* self) {
  (void)self;
  ++starts;
}

static ccm_bool is_labelled(ccm_str name, const char* number) {
  const ccm_object* node = cached_node(name);
  ccm_str value;
  const ccm_bool labelled_so =
      node == NULL || !text_at(node, "/spec/providerID", &value) ||
      (text_at(node, "/metadata/labels/faulty~1seen", &value) && same_text(value, number));
  release(node);
  return labelled_so;
}

static void label_with_start(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
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

static struct memory faults[] = {
    {{"completes_cancelled_in_destroy", complete_the_cancelled},
     setup_labels,
     label_node,
     remember_cancelled},
    {{"forgets_second_write", NULL}, forget_all, write_twice, write_again},
    {{"takes_own_write_for_foreign", NULL}, setup_labels, mark_as_foreign, remember_unanswered},
    {{"writes_at_each_start", begin_again}, setup_labels, label_with_start, pass_on},
};

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  ((const struct memory*)self)->setup(self, ctx, request, done);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  ((const struct memory*)self)->reconcile(self, ctx, request, done);
}
FAULTY_CONTROLLER("memory", setup, reconcile)
