/* A controller that labels Nodes, with one fault in a step of it. */
#define FAULTY_TABLE
#define WHEN_LABELLED as_the_row_says
#include "labelling.h"

#include <unistd.h>

/* NULL in a row: the step as it should be. */
struct controller {
  struct fault fault;
  void (*setup)(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done);
  void (*reconcile)(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                    ccm_completion done);
  void (*labelled)(struct labelling* work, const ccm_status* status);
};

static void as_the_row_says(struct labelling* work, const ccm_status* status) {
  const struct controller* row = (const struct controller*)the_row;
  (row->labelled != NULL ? row->labelled : pass_on)(work, status);
}

/* ---- Setup ---- */

/* Setup fails without instances and does not say why. */
static void needs_cloud_silently_setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                       ccm_completion done) {
  if (service(CCM_CLOUD_INSTANCES).table == NULL) {
    end_with(done, CCM_CODE_FAILED_PRECONDITION, "", NULL);
    return;
  }
  setup_labels(self, ctx, request, done);
}

/* A key that is due every 0 ms. */
static void period_of_nothing_setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                    ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  (void)self;
  (void)request;
  (void)ctx;
  ((const ccm_host_setup*)found.table)->every(found.self, text("all"), 0);
  succeed(done, NULL);
}

/* A watch that counts fields and names none. */
static void watch_without_fields_setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                       ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  ccm_watch watch;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&watch, 0, sizeof(watch));
  watch.size = sizeof(watch);
  watch.resource = text("v1/nodes");
  watch.field_count = 3;
  ((const ccm_host_setup*)found.table)->watch(found.self, &watch);
  succeed(done, NULL);
}

/* It defines a metric that the host reads at each scrape. */
static void takes_a_metric_of_the_host(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                       ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_METRICS);
  ccm_metric metric;
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_GAUGE;
  metric.name = text("ccm_plugin_degraded");
  metric.help = text("Never.");
  if (((const ccm_host_metrics*)found.table)->define(found.self, &metric) != 0) abort();
  setup_labels(self, ctx, request, done);
}

/* ---- From an event to a key ---- */

/* An event must have exactly the size that it knows. */
static void refuse_larger_events(void* owner, const ccm_watch_event* event) {
  (void)owner;
  if (event->size != sizeof(*event)) return;
  add_key_of(event, event->kind >= CCM_EVENT_ADDED && event->kind <= CCM_EVENT_DELETED
                        ? CCM_PRIORITY_CHANGED
                        : CCM_PRIORITY_PERIODIC);
}

/* An event of a kind that it does not know leads to no key. */
static void forget_unknown_kinds(void* owner, const ccm_watch_event* event) {
  (void)owner;
  switch (event->kind) {
    case CCM_EVENT_ADDED:
    case CCM_EVENT_UPDATED:
    case CCM_EVENT_DELETED:
    case CCM_EVENT_HINTED:
      add_key_of(event, CCM_PRIORITY_CHANGED);
      break;
    case CCM_EVENT_RESYNC:
      add_key_of(event, CCM_PRIORITY_PERIODIC);
      break;
    default:
      break;
  }
}

static void map_refuses_larger_events_setup(void* self, ccm_ctx ctx,
                                            const ccm_setup_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  watch_labels(refuse_larger_events);
  succeed(done, NULL);
}

static void map_forgets_unknown_kinds_setup(void* self, ccm_ctx ctx,
                                            const ccm_setup_request* request, ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  watch_labels(forget_unknown_kinds);
  succeed(done, NULL);
}

/* ---- Reconcile ---- */

/* Gives back no object that it took from the cache. */
static void keeps_objects(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                          ccm_completion done) {
  cached_node(request->key);
  label_node(self, ctx, request, done);
}

/* Makes a ctx for each reconcile, and cancels none. */
static void keeps_contexts(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                           ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_CTX);
  const ccm_host_ctx* contexts = (const ccm_host_ctx*)found.table;
  contexts->with_timeout(found.self, contexts->background(found.self), INT64_MAX);
  label_node(self, ctx, request, done);
}

/* Asks the cache for what it does not watch. */
static void cache_not_watched(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                              ccm_completion done) {
  (void)cached("v1/pods", "default", request->key);
  label_node(self, ctx, request, done);
}

/* Reads a field of a cached Node that no watch declares. */
static void field_not_declared(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                               ccm_completion done) {
  const ccm_object* node = cached_node(request->key);
  ccm_str version;
  if (node != NULL) {
    text_at(node, "/status/nodeInfo/kubeletVersion", &version);
    release(node);
  }
  label_node(self, ctx, request, done);
}

/* Never completes the reconcile of an object that is gone. */
static void needs_the_object(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                             ccm_completion done) {
  const ccm_object* node = cached_node(request->key);
  if (node == NULL) return;
  release(node);
  label_node(self, ctx, request, done);
}

/* Takes for granted that each Node has a provider ID. */
static void needs_whole_objects(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                ccm_completion done) {
  const ccm_object* node = cached_node(request->key);
  ccm_str value = {NULL, 0};
  ccm_bool whole;
  if (node == NULL) {
    succeed(done, NULL);
    return;
  }
  /* The Node that joins the cluster has none either, and is labelled here. */
  whole = text_at(node, "/metadata/labels/kubernetes.io~1hostname", &value);
  release(node);
  if (!whole) abort();
  label_node(self, ctx, request, done);
}

static void needs_whole_objects_setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                      ccm_completion done) {
  const ccm_str field = text("/metadata/labels/kubernetes.io~1hostname");
  watch_fields(&field, 1, NULL);
  setup_labels(self, ctx, request, done);
}

/* Holds the host's loop for a while when a key comes twice in a row. */
static char last[300];

static void holds_the_loop(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                           ccm_completion done) {
  const size_t length = request->key.len < sizeof(last) - 1 ? request->key.len : sizeof(last) - 1;
  if (same_text(request->key, last)) usleep(80000);
  memset(last, 0, sizeof(last));
  memcpy(last, request->key.ptr, length);
  label_node(self, ctx, request, done);
}

/* It holds the host's loop for a while, each time it is called. */
static void sleeps_in_reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                ccm_completion done) {
  usleep(300000);
  reconcile_nothing(self, ctx, request, done);
}

/* Its calls do not end with the reconcile that made them. */
static void forgets_cancellation(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                 ccm_completion done) {
  const ccm_ctx none = {0};
  (void)ctx;
  label_node(self, none, request, done);
}

/* Keeps the reconcile that runs in one place, although it asked for several at once. */
static ccm_completion the_done;

static void ended(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)owner;
  (void)operation;
  (void)result;
  the_done.fn(the_done.owner, the_done.operation, status, NULL);
}

static void mixes_reconciles_up(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                ccm_completion done) {
  const ccm_completion labelled_one = {ended, NULL, 1};
  struct labelling* work;
  (void)self;
  if (!lacks_label(request->key)) {
    succeed(done, NULL);
    return;
  }
  the_done = done;
  work = new_labelling(ctx, request, done);
  patch_node(ctx, work->name, LABEL_BODY, labelled_one);
  free(work);
}

static void mixes_reconciles_up_setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                      ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  ccm_queue_options options;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.workers = 4;
  ((const ccm_host_setup*)found.table)->queue(found.self, &options);
  setup_labels(self, ctx, request, done);
}

/* Each reconcile writes something new, although nothing has changed. */
static void writes_each_time(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                             ccm_completion done) {
  static unsigned count;
  struct labelling* work = new_labelling(ctx, request, done);
  const ccm_completion written = {labelled, work, 1};
  char body[100];
  (void)self;
  snprintf(body, sizeof(body), "{\"metadata\": {\"labels\": {\"faulty/seen\": \"%u\"}}}", ++count);
  patch_node(ctx, work->name, body, written);
}

/* Sets the list of finalizers as a whole, without the version that it was made from. */
static void takes_finalizers_away(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                  ccm_completion done) {
  struct labelling* work;
  ccm_completion written;
  if (!lacks_label(request->key)) {
    succeed(done, NULL);
    return;
  }
  (void)self;
  work = new_labelling(ctx, request, done);
  written.fn = labelled;
  written.owner = work;
  written.operation = 1;
  patch_node(ctx, work->name,
             "{\"metadata\": {\"labels\": {\"faulty/seen\": \"yes\"},"
             " \"finalizers\": [\"faulty/kept\"]}}",
             written);
}

/* Makes the body of a patch of a text that it does not quote. */
static void body_is_no_json(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                            ccm_completion done) {
  const ccm_object* node = cached_node(request->key);
  struct labelling* work = new_labelling(ctx, request, done);
  const ccm_completion written = {labelled, work, 1};
  ccm_str odd;
  ccm_bool quotes;
  (void)self;
  quotes = node != NULL && text_at(node, "/metadata/annotations/example.com~1odd", &odd);
  release(node);
  if (quotes) {
    patch_node(ctx, work->name, "{\"metadata\": {\"annotations\": {\"a\": \"x\"y\"}}}", written);
  } else {
    free(work);
    label_node(self, ctx, request, done);
  }
}

static void body_is_no_json_setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                                  ccm_completion done) {
  const ccm_str field = text("/metadata/annotations");
  watch_fields(&field, 1, NULL);
  setup_labels(self, ctx, request, done);
}

/* The reason of its Events is a sentence. */
static void event_without_reason(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                 ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_EVENT);
  const ccm_object* node = cached_node(request->key);
  ccm_event event;
  memset(&event, 0, sizeof(event));
  event.size = sizeof(event);
  event.object = node;
  event.reason = text("the node was seen");
  event.message = text("seen");
  ((const ccm_host_event*)found.table)->record(found.self, &event);
  release(node);
  label_node(self, ctx, request, done);
}

/* A secret is in its log. */
static void logs_a_secret(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                          ccm_completion done) {
  const ccm_interface config = service(CCM_HOST_CONFIG);
  const ccm_interface log = service(CCM_HOST_LOG);
  char secret[100];
  ccm_log_record record;
  const int64_t length = ((const ccm_host_config*)config.table)
                             ->secret(config.self, text("FAULTY_TOKEN"), secret, sizeof(secret));
  memset(&record, 0, sizeof(record));
  record.size = sizeof(record);
  record.message.ptr = secret;
  record.message.len = length > 0 && length <= (int64_t)sizeof(secret) ? (size_t)length : 0;
  ((const ccm_host_log*)log.table)->write(log.self, ctx, &record);
  label_node(self, ctx, request, done);
}

/* Records a metric with more label values than it has labels. */
static uint64_t number;

static void metric_with_other_labels_setup(void* self, ccm_ctx ctx,
                                           const ccm_setup_request* request, ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_METRICS);
  ccm_metric metric;
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_COUNTER;
  metric.name = text("faulty_total");
  metric.help = text("Reconciles");
  number = ((const ccm_host_metrics*)found.table)->define(found.self, &metric);
  setup_labels(self, ctx, request, done);
}

static void metric_with_other_labels(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                     ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_METRICS);
  const ccm_str value = text("yes");
  ((const ccm_host_metrics*)found.table)->record(found.self, number, &value, 1, 1);
  label_node(self, ctx, request, done);
}

/* Reads each Node from the server, and does nothing when the status is larger than it knows. */
static void read_whole(void* owner, uint64_t operation, const ccm_status* status,
                       const void* result) {
  struct labelling* work = (struct labelling*)owner;
  (void)operation;
  (void)result;
  if (status->code != CCM_CODE_OK) {
    pass_on(work, status);
  } else if (status->size != sizeof(*status)) {
    succeed(work->done, NULL);
    free(work);
  } else {
    begin_label(work);
  }
}

static void gives_up_on_larger_status(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                      ccm_completion done) {
  const ccm_interface kube = service(CCM_HOST_KUBE);
  ccm_completion answered = {read_whole, NULL, 1};
  ccm_kube_reference node;
  ccm_kube_get_request wanted;
  (void)self;
  if (!lacks_label(request->key)) {
    succeed(done, NULL);
    return;
  }
  answered.owner = new_labelling(ctx, request, done);
  memset(&node, 0, sizeof(node));
  node.size = sizeof(node);
  node.resource = text("v1/nodes");
  node.name = request->key;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.reference = &node;
  ((const ccm_host_kube*)kube.table)->get(kube.self, ctx, &wanted, answered);
}

/* Wants to be called again when the sun is cold. */
static void requeues_for_ever(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                              ccm_completion done) {
  ccm_reconcile_result result;
  (void)self;
  (void)ctx;
  (void)request;
  memset(&result, 0, sizeof(result));
  result.size = sizeof(result);
  result.requeue_after_ms = INT64_MAX;
  succeed(done, &result);
}

/* ---- After the write ---- */

/* Repeats a call that was THROTTLED at once. */
static void repeat(struct labelling* work, const ccm_status* status) {
  if (status->error_class == CCM_CLASS_THROTTLED && work->attempts++ < 3) {
    begin_label(work);
  } else {
    pass_on(work, status);
  }
}

/* Cuts the message of a failure in the middle of a letter. */
static void cut(struct labelling* work, const ccm_status* status) {
  ccm_status shorter = *status;
  if (shorter.message.len > 100) shorter.message.len = 100;
  pass_on(work, &shorter);
}

/* A reconcile that fails has a result. */
static void end_with_result(struct labelling* work, const ccm_status* status) {
  static ccm_reconcile_result result;
  result.size = sizeof(result);
  result.requeue_after_ms = 1000;
  if (status->code == CCM_CODE_OK) {
    pass_on(work, status);
  } else {
    work->done.fn(work->done.owner, work->done.operation, status, &result);
    free(work);
  }
}

/* A reconcile that was cancelled leaves a note of it on the Node. */
static void noted(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)owner;
  (void)operation;
  (void)status;
  (void)result;
}

static void leave_a_note(struct labelling* work, const ccm_status* status) {
  const ccm_completion done = {noted, NULL, 1};
  const ccm_ctx none = {0};
  if (status->code == CCM_CODE_CANCELLED) {
    patch_node(none, work->name, "{\"metadata\": {\"labels\": {\"faulty/ended\": \"yes\"}}}", done);
  }
  pass_on(work, status);
}

/* ---- Keys, priorities and delays that make no sense ---- */

static void map_to_garbage(void* owner, const ccm_watch_event* event) {
  ccm_str nowhere = {NULL, 77};
  (void)owner;
  (void)event;
  add_key(nowhere, 99, INT64_MIN);
  add_key(text("later"), -99, INT64_MAX);
  add_key(text("\xff"), CCM_PRIORITY_CHANGED, 0);
}

static void garbage_keys_setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                               ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_SETUP);
  ccm_queue_options options;
  (void)self;
  (void)request;
  (void)ctx;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.backoff_first_ms = INT64_MAX;
  options.backoff_limit_ms = INT64_MAX;
  options.reconcile_timeout_ms = INT64_MAX;
  ((const ccm_host_setup*)found.table)->queue(found.self, &options);
  watch_nodes(map_to_garbage);
  succeed(done, NULL);
}

static void garbage_keys(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                         ccm_completion done) {
  (void)self;
  (void)ctx;
  (void)request;
  end_with(done, CCM_CODE_UNAVAILABLE, "\xfe", NULL);
}

/* ---- Destroy ---- */

/* Adds a key to its queue in `destroy`. */
static void add_a_key(void* self) {
  (void)self;
  add_key(text("late"), CCM_PRIORITY_CHANGED, 0);
}

static struct controller faults[] = {
    {{"needs_cloud_silently", NULL}, needs_cloud_silently_setup, NULL, NULL},
    {{"takes_a_metric_of_the_host", NULL}, takes_a_metric_of_the_host, NULL, NULL},
    {{"period_of_nothing", NULL}, period_of_nothing_setup, NULL, NULL},
    {{"watch_without_fields", NULL}, watch_without_fields_setup, NULL, NULL},
    {{"map_refuses_larger_events", NULL}, map_refuses_larger_events_setup, NULL, NULL},
    {{"map_forgets_unknown_kinds", NULL}, map_forgets_unknown_kinds_setup, NULL, NULL},
    {{"keeps_objects", NULL}, NULL, keeps_objects, NULL},
    {{"keeps_contexts", NULL}, NULL, keeps_contexts, NULL},
    {{"cache_not_watched", NULL}, NULL, cache_not_watched, NULL},
    {{"field_not_declared", NULL}, NULL, field_not_declared, NULL},
    {{"needs_the_object", NULL}, NULL, needs_the_object, NULL},
    {{"needs_whole_objects", NULL}, needs_whole_objects_setup, needs_whole_objects, NULL},
    {{"holds_the_loop", NULL}, NULL, holds_the_loop, NULL},
    {{"sleeps_in_reconcile", NULL}, setup_nodes, sleeps_in_reconcile, NULL},
    {{"forgets_cancellation", NULL}, NULL, forgets_cancellation, NULL},
    {{"mixes_reconciles_up", NULL}, mixes_reconciles_up_setup, mixes_reconciles_up, NULL},
    {{"writes_each_time", NULL}, setup_nodes, writes_each_time, NULL},
    {{"takes_finalizers_away", NULL}, NULL, takes_finalizers_away, NULL},
    {{"body_is_no_json", NULL}, body_is_no_json_setup, body_is_no_json, NULL},
    {{"event_without_reason", NULL}, NULL, event_without_reason, NULL},
    {{"logs_a_secret", NULL}, NULL, logs_a_secret, NULL},
    {{"metric_with_other_labels", NULL},
     metric_with_other_labels_setup,
     metric_with_other_labels,
     NULL},
    {{"gives_up_on_larger_status", NULL}, NULL, gives_up_on_larger_status, NULL},
    {{"requeues_for_ever", NULL}, setup_nodes, requeues_for_ever, NULL},
    {{"repeats_throttled", NULL}, NULL, NULL, repeat},
    {{"cuts_letters", NULL}, NULL, NULL, cut},
    {{"reconcile_fails_with_result", NULL}, NULL, NULL, end_with_result},
    {{"writes_when_cancelled", NULL}, NULL, NULL, leave_a_note},
    {{"garbage_keys", NULL}, garbage_keys_setup, garbage_keys, NULL},
    {{"works_in_destroy", add_a_key}, NULL, NULL, NULL},
    {{"no_fault", NULL}, NULL, NULL, NULL},
};

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  const struct controller* row = (const struct controller*)self;
  (row->setup != NULL ? row->setup : setup_labels)(self, ctx, request, done);
}

static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                      ccm_completion done) {
  const struct controller* row = (const struct controller*)self;
  (row->reconcile != NULL ? row->reconcile : label_node)(self, ctx, request, done);
}
FAULTY_CONTROLLER("controllers", setup, reconcile)
