/* A controller that calls functions of the host too late, from a wrong thread, or with nothing. */
#define FAULTY_TABLE
#include "faulty.h"

#include <ccm/abi/crypto.h>
#include <ccm/abi/ctx.h>
#include <ccm/abi/hint.h>
#include <ccm/abi/object.h>

#include <stdio.h>
#include <unistd.h>

/* ---- Callbacks and completions that are counted ---- */

static int drops;
static int refusals;
static int late_calls;

static void never(void* owner) {
  (void)owner;
  abort();
}

static void do_nothing(void* owner) { (void)owner; }

static void count_late_call(void* owner) {
  (void)owner;
  ++late_calls;
}

static void count_drop(void* owner) {
  (void)owner;
  ++drops;
}

static void count_refused_callback(void* owner) {
  (void)owner;
  ++refusals;
}

static void count_refusal(void* owner, uint64_t operation, const ccm_status* status,
                          const void* result) {
  (void)owner;
  (void)operation;
  if (status->code == CCM_CODE_FAILED_PRECONDITION && result == NULL) ++refusals;
}

/* ---- Functions that are for create and setup, while it reconciles ---- */

static void create_functions_too_late(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                      ccm_completion done) {
  static int calls;
  const ccm_interface metrics = service(CCM_HOST_METRICS);
  const ccm_interface config = service(CCM_HOST_CONFIG);
  const ccm_interface leader = service(CCM_HOST_LEADER);
  ccm_callback callback;
  ccm_metric metric;
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_COUNTER;
  metric.name = text("faulty_late_total");
  callback.fn = never;
  callback.drop = count_drop;
  callback.owner = NULL;
  if (((const ccm_host_metrics*)metrics.table)->define(metrics.self, &metric) != 0) abort();
  if (((const ccm_host_config*)config.table)->on_change(config.self, callback) != 0) abort();
  if (((const ccm_host_leader*)leader.table)->on_change(leader.self, callback) != 0) abort();
  if (drops != 2 * ++calls) abort();
  reconcile_nothing(self, ctx, request, done);
}

/* ---- What setup was given, afterwards ---- */

static ccm_interface kept_setup;

static void keep_setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                       ccm_completion done) {
  kept_setup = service(CCM_HOST_SETUP);
  setup_nodes(self, ctx, request, done);
}

static void use_kept_setup(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                           ccm_completion done) {
  ((const ccm_host_setup*)kept_setup.table)->every(kept_setup.self, text("too-late"), 1);
  watch_nodes(NULL);
  reconcile_nothing(self, ctx, request, done);
}

/* ---- A [create] function from a thread of its own, and one for workers on the loop ---- */

static void* define_elsewhere(void* unused) {
  ccm_metric metric;
  ccm_interface found = service(CCM_HOST_METRICS);
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_COUNTER;
  metric.name = text("faulty_total");
  if (((const ccm_host_metrics*)found.table)->define(found.self, &metric) != 0) abort();
  return unused;
}

static void must_be_refused(void* owner, uint64_t operation, const ccm_status* status,
                            const void* result) {
  (void)operation;
  (void)result;
  if (status->code != CCM_CODE_FAILED_PRECONDITION) abort();
  *(int*)owner = 1;
}

static void call_in_a_wrong_thread(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                                   ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_HTTP);
  ccm_http_request wanted;
  ccm_completion ended;
  int ends = 0;
  pthread_t other;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.url = text("http://192.0.2.1/");
  ended.fn = must_be_refused;
  ended.owner = &ends;
  ended.operation = 0;
  ((const ccm_host_http*)found.table)->send_wait(found.self, ctx, &wanted, ended);
  if (ends == 0) abort();
  if (pthread_create(&other, NULL, define_elsewhere, NULL) == 0) pthread_join(other, NULL);
  reconcile_nothing(self, ctx, request, done);
}

/* ---- The ctx of the first reconcile in all later ones ---- */

/* A reconcile ends as the operation did that it began with that ctx. */
static ccm_ctx kept_ctx;
static int ctx_uses;

static void pass_on_end(void* owner, uint64_t operation, const ccm_status* status,
                        const void* result) {
  ccm_completion* done = (ccm_completion*)owner;
  (void)operation;
  (void)result;
  done->fn(done->owner, done->operation, status, NULL);
  free(done);
}

static void use_ended_ctx(void) {
  const ccm_interface found = service(CCM_HOST_CTX);
  const ccm_host_ctx* table = (const ccm_host_ctx*)found.table;
  ccm_callback callback;
  callback.fn = do_nothing;
  callback.drop = count_drop;
  callback.owner = NULL;
  if (!table->ended(found.self, kept_ctx)) abort();
  if (table->end_code(found.self, kept_ctx) != CCM_CODE_CANCELLED) abort();
  if (table->remaining_ms(found.self, kept_ctx) > 0) abort();
  if (!table->ended(found.self, table->with_timeout(found.self, kept_ctx, 1000))) abort();
  table->cancel(found.self, kept_ctx);
  table->remove_on_end(found.self, kept_ctx, table->on_end(found.self, kept_ctx, callback));
  if (drops != 1) abort();
  drops = 0;
}

static void reconcile_with_the_first_ctx(void* self, ccm_ctx ctx,
                                         const ccm_reconcile_request* request,
                                         ccm_completion done) {
  const ccm_interface found = service(CCM_HOST_HTTP);
  ccm_http_request wanted;
  ccm_completion after;
  ccm_completion* copy;
  if (ctx_uses++ == 0) {
    kept_ctx = ctx;
    reconcile_nothing(self, ctx, request, done);
    return;
  }
  use_ended_ctx();
  copy = (ccm_completion*)malloc(sizeof(*copy));
  if (copy == NULL) abort();
  *copy = done;
  after.fn = pass_on_end;
  after.owner = copy;
  after.operation = 0;
  memset(&wanted, 0, sizeof(wanted));
  wanted.size = sizeof(wanted);
  wanted.url = text("http://192.0.2.1/");
  ((const ccm_host_http*)found.table)->send(found.self, kept_ctx, &wanted, after);
}

/* ---- Callbacks and operations in destroy ---- */

/* Says how many of them were refused inside the call. */
static void register_all(void* self) {
  const ccm_interface timer = service(CCM_HOST_TIMER);
  const ccm_interface post = service(CCM_HOST_POST);
  const ccm_interface ctx = service(CCM_HOST_CTX);
  const ccm_interface file = service(CCM_HOST_FILE);
  const ccm_interface http = service(CCM_HOST_HTTP);
  const ccm_interface worker = service(CCM_HOST_WORKER);
  const ccm_interface logger = service(CCM_HOST_LOG);
  const ccm_ctx none = {0};
  ccm_callback callback;
  ccm_completion done;
  ccm_http_request request;
  ccm_work_request work;
  ccm_log_record record;
  (void)self;
  callback.fn = never;
  callback.drop = count_refused_callback;
  callback.owner = NULL;
  done.fn = count_refusal;
  done.owner = NULL;
  done.operation = 0;
  if (((const ccm_host_timer*)timer.table)->after(timer.self, 1, callback) != 0) abort();
  ((const ccm_host_post*)post.table)->post(post.self, callback);
  if (((const ccm_host_ctx*)ctx.table)->on_end(ctx.self, none, callback) != 0) abort();
  if (((const ccm_host_file*)file.table)->watch(file.self, text("/etc/hostname"), callback) != 0) {
    abort();
  }
  memset(&request, 0, sizeof(request));
  request.size = sizeof(request);
  request.url = text("http://192.0.2.1/");
  ((const ccm_host_http*)http.table)->send(http.self, none, &request, done);
  memset(&work, 0, sizeof(work));
  work.size = sizeof(work);
  work.work = callback; /* dropped, and its operation refused */
  ((const ccm_host_worker*)worker.table)->run(worker.self, none, &work, done);
  memset(&record, 0, sizeof(record));
  record.size = sizeof(record);
  record.level = CCM_LOG_WARNING;
  record.message = refusals == 7 ? text("All seven were refused") : text("Some were not refused");
  ((const ccm_host_log*)logger.table)->write(logger.self, none, &record);
}

/* ---- A thread that goes on after destroy and calls each service ---- */

/* It waits for the file "go" in the folder FAULTY_FOLDER, and writes what came of it to the file
 * "outcome". */
static const ccm_ctx none;

/* The services, as they were found while the component lived. */
static struct {
  ccm_interface timer, post, context, file, http, worker, kube, leader, config, metrics, event,
      hint, crypto, objects, logger;
} kept;

static void hand_over_late(ccm_callback callback) {
  const ccm_host_leader* led = (const ccm_host_leader*)kept.leader.table;
  const ccm_host_config* configured = (const ccm_host_config*)kept.config.table;
  if (((const ccm_host_timer*)kept.timer.table)->after(kept.timer.self, 1, callback) != 0)
    ++late_calls;
  ((const ccm_host_post*)kept.post.table)->post(kept.post.self, callback);
  if (((const ccm_host_ctx*)kept.context.table)->on_end(kept.context.self, none, callback) != 0)
    ++late_calls;
  if (((const ccm_host_file*)kept.file.table)->watch(kept.file.self, text("/etc/x"), callback) != 0)
    ++late_calls;
  if (led->on_change(kept.leader.self, callback)) ++late_calls;
  if (configured->on_change(kept.config.self, callback)) ++late_calls;
}

static void start_operations(ccm_callback callback) {
  const ccm_host_http* web = (const ccm_host_http*)kept.http.table;
  const ccm_host_kube* api = (const ccm_host_kube*)kept.kube.table;
  const ccm_completion done = {count_refusal, NULL, 0};
  ccm_kube_reference node;
  ccm_kube_get_request get;
  ccm_http_request request;
  ccm_work_request work;
  ccm_read_file_request read;
  memset(&node, 0, sizeof(node));
  node.size = sizeof(node);
  node.resource = text("v1/nodes");
  node.name = text("n");
  memset(&get, 0, sizeof(get));
  get.size = sizeof(get);
  get.reference = &node;
  memset(&request, 0, sizeof(request));
  request.size = sizeof(request);
  request.url = text("http://192.0.2.1/");
  memset(&work, 0, sizeof(work));
  work.size = sizeof(work);
  work.work = callback;
  memset(&read, 0, sizeof(read));
  read.size = sizeof(read);
  read.path = text("/etc/x");
  api->get(kept.kube.self, none, &get, done);
  web->send(kept.http.self, none, &request, done);
  web->send_wait(kept.http.self, none, &request, done);
  ((const ccm_host_worker*)kept.worker.table)->run(kept.worker.self, none, &work, done);
  ((const ccm_host_file*)kept.file.table)->read(kept.file.self, none, &read, done);
}

/* Functions whose answer does not matter. */
static void call_the_rest(void) {
  const ccm_host_ctx* contexts = (const ccm_host_ctx*)kept.context.table;
  const ccm_host_leader* led = (const ccm_host_leader*)kept.leader.table;
  const ccm_host_config* configured = (const ccm_host_config*)kept.config.table;
  const ccm_host_kube* api = (const ccm_host_kube*)kept.kube.table;
  const ccm_object* object = NULL;
  ccm_kube_reference node;
  ccm_log_record record;
  ccm_event about;
  ccm_hint news;
  ccm_metric metric;
  ccm_str value;
  uint8_t bytes[32];
  memset(&record, 0, sizeof(record));
  record.size = sizeof(record);
  record.message = text("after the end");
  memset(&about, 0, sizeof(about));
  about.size = sizeof(about);
  memset(&news, 0, sizeof(news));
  news.size = sizeof(news);
  news.kind = CCM_HINT_INSTANCE;
  news.name = text("n");
  memset(&metric, 0, sizeof(metric));
  metric.size = sizeof(metric);
  memset(&node, 0, sizeof(node));
  node.size = sizeof(node);
  node.resource = text("v1/nodes");
  node.name = text("n");
  ((const ccm_host_timer*)kept.timer.table)->now_ms(kept.timer.self);
  ((const ccm_host_timer*)kept.timer.table)->cancel(kept.timer.self, 1);
  contexts->remaining_ms(kept.context.self, none);
  contexts->cancel(kept.context.self, contexts->with_timeout(kept.context.self, none, 1000));
  led->leading(kept.leader.self);
  led->transitions(kept.leader.self);
  configured->flag(kept.config.self, text("cluster-name"), &value);
  if (api->cached(kept.kube.self, &node, &object) == CCM_CACHE_FOUND) ++late_calls;
  ((const ccm_host_metrics*)kept.metrics.table)->define(kept.metrics.self, &metric);
  ((const ccm_host_metrics*)kept.metrics.table)->record(kept.metrics.self, 1, NULL, 0, 1);
  ((const ccm_host_event*)kept.event.table)->record(kept.event.self, &about);
  ((const ccm_host_hint*)kept.hint.table)->changed(kept.hint.self, &news);
  ((const ccm_host_crypto*)kept.crypto.table)->random(kept.crypto.self, bytes, sizeof(bytes));
  object = ((const ccm_host_object*)kept.objects.table)->parse(kept.objects.self, text("{}"));
  ((const ccm_host_object*)kept.objects.table)->release(kept.objects.self, object);
  ((const ccm_host_log*)kept.logger.table)->write(kept.logger.self, none, &record);
  add_key(text("n"), 0, 0);
}

static void* wait_and_call(void* folder) {
  const ccm_callback callback = {count_late_call, count_drop, NULL};
  char path[512];
  FILE* out;
  snprintf(path, sizeof(path), "%s/go", (const char*)folder);
  while (access(path, F_OK) != 0) usleep(1000);
  hand_over_late(callback);
  start_operations(callback);
  call_the_rest();
  snprintf(path, sizeof(path), "%s/outcome.new", (const char*)folder);
  out = fopen(path, "w");
  if (out == NULL) abort();
  fprintf(out, "%d called, %d dropped, %d refused\n", late_calls, drops, refusals);
  fclose(out);
  snprintf(path, sizeof(path), "%s/outcome", (const char*)folder);
  {
    char before[520];
    snprintf(before, sizeof(before), "%s.new", path);
    rename(before, path);
  }
  return folder;
}

static void begin_thread(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                         ccm_completion done) {
  pthread_t stray;
  kept.timer = service(CCM_HOST_TIMER);
  kept.post = service(CCM_HOST_POST);
  kept.context = service(CCM_HOST_CTX);
  kept.file = service(CCM_HOST_FILE);
  kept.http = service(CCM_HOST_HTTP);
  kept.worker = service(CCM_HOST_WORKER);
  kept.kube = service(CCM_HOST_KUBE);
  kept.leader = service(CCM_HOST_LEADER);
  kept.config = service(CCM_HOST_CONFIG);
  kept.metrics = service(CCM_HOST_METRICS);
  kept.event = service(CCM_HOST_EVENT);
  kept.hint = service(CCM_HOST_HINT);
  kept.crypto = service(CCM_HOST_CRYPTO);
  kept.objects = service(CCM_HOST_OBJECT);
  kept.logger = service(CCM_HOST_LOG);
  if (pthread_create(&stray, NULL, wait_and_call, getenv("FAULTY_FOLDER")) == 0) {
    pthread_detach(stray);
  }
  setup_nodes(self, ctx, request, done);
}

/* ---- NULL, and counts that have no list, for every function of every service ---- */

static void must_fail(void* owner, uint64_t operation, const ccm_status* status,
                      const void* result) {
  (void)owner;
  (void)operation;
  (void)result;
  if (status->code == CCM_CODE_OK) abort(); /* nothing that was asked for makes sense */
}

static const ccm_completion kNobody = {must_fail, NULL, 0};
static const ccm_str kNowhere = {NULL, 77};
static const ccm_ctx kNoCtx = {0};
static const ccm_ctx kInvented = {0x123456789abcdefull};
static const ccm_callback kNoCallback = {NULL, NULL, NULL};

static void log_nothing(void) {
  const ccm_interface found = service(CCM_HOST_LOG);
  const ccm_host_log* log = (const ccm_host_log*)found.table;
  ccm_log_record record;
  memset(&record, 0, sizeof(record));
  log->write(found.self, kNoCtx, NULL);
  log->write(found.self, kNoCtx, &record);
  record.size = sizeof(record);
  record.level = CCM_LOG_ERROR;
  record.message = kNowhere;
  record.file = kNowhere;
  record.pair_count = 5;
  log->write(found.self, kNoCtx, &record);
}

static void measure_nothing(void) {
  const ccm_interface found = service(CCM_HOST_METRICS);
  const ccm_host_metrics* metrics = (const ccm_host_metrics*)found.table;
  ccm_metric metric;
  memset(&metric, 0, sizeof(metric));
  metrics->define(found.self, NULL);
  metrics->define(found.self, &metric);
  metric.size = sizeof(metric);
  metric.kind = CCM_METRIC_HISTOGRAM;
  metric.name = text("faulty_seconds");
  metric.help = text("\xff");
  metric.label_count = 2;
  metric.bucket_count = 4;
  metrics->define(found.self, &metric);
  metrics->record(found.self, 77, NULL, 5, -1);
}

static void set_nothing_up(void) {
  ccm_interface found = service(CCM_HOST_SETUP);
  const ccm_host_setup* setup = (const ccm_host_setup*)found.table;
  ccm_queue_item item;
  setup->watch(found.self, NULL);
  setup->queue(found.self, NULL);
  found = service(CCM_HOST_QUEUE);
  ((const ccm_host_queue*)found.table)->add(found.self, NULL);
  memset(&item, 0, sizeof(item));
  item.size = sizeof(item);
  item.key = kNowhere;
  ((const ccm_host_queue*)found.table)->add(found.self, &item);
}

static void time_nothing(ccm_ctx ctx) {
  ccm_interface found = service(CCM_HOST_TIMER);
  const ccm_host_timer* timer = (const ccm_host_timer*)found.table;
  const ccm_host_ctx* host_ctx;
  timer->after(found.self, INT64_MIN, kNoCallback);
  timer->after(found.self, INT64_MAX, kNoCallback);
  timer->cancel(found.self, 12345);
  found = service(CCM_HOST_POST);
  ((const ccm_host_post*)found.table)->post(found.self, kNoCallback);
  found = service(CCM_HOST_CTX);
  host_ctx = (const ccm_host_ctx*)found.table;
  host_ctx->cancel(found.self, kNoCtx);
  host_ctx->cancel(found.self, kInvented);
  host_ctx->cancel(found.self, ctx); /* no child: left alone */
  host_ctx->cancel(found.self, host_ctx->with_timeout(found.self, kNoCtx, INT64_MIN));
  host_ctx->cancel(found.self, host_ctx->with_timeout(found.self, ctx, INT64_MAX));
  host_ctx->cancel(found.self, host_ctx->with_timeout(found.self, kInvented, 5));
  host_ctx->remaining_ms(found.self, kNoCtx);
  if (!host_ctx->ended(found.self, kInvented)) abort();
  if (host_ctx->end_code(found.self, kInvented) != CCM_CODE_CANCELLED) abort();
  host_ctx->on_end(found.self, ctx, kNoCallback);
  host_ctx->remove_on_end(found.self, ctx, 12345);
}

static void read_nothing(void) {
  ccm_interface found = service(CCM_HOST_OBJECT);
  const ccm_host_object* objects = (const ccm_host_object*)found.table;
  const ccm_value nothing = {NULL, 77};
  const ccm_host_config* config;
  objects->retain(found.self, NULL);
  objects->release(found.self, NULL);
  objects->find(found.self, NULL, kNowhere);
  objects->find_in(found.self, nothing, kNowhere);
  objects->kind(found.self, nothing);
  objects->text(found.self, nothing, NULL);
  objects->each(found.self, nothing, NULL, NULL);
  objects->json(found.self, NULL);
  if (objects->parse(found.self, kNowhere) != NULL) abort();
  objects->equal(found.self, nothing, nothing);
  found = service(CCM_HOST_CONFIG);
  config = (const ccm_host_config*)found.table;
  config->flag(found.self, kNowhere, NULL);
  config->flag(found.self, text("v"), NULL);
  config->cloud_config(found.self, NULL);
  config->secret(found.self, kNowhere, NULL, 5);
  config->secret(found.self, text("PATH"), NULL, 0);
  config->flag_given(found.self, kNowhere);
  config->on_change(found.self, kNoCallback);
  config->rejected(found.self, kNowhere, kNowhere);
  config->accepted(found.self, kNowhere);
}

static void write_nothing(ccm_ctx ctx) {
  ccm_interface found = service(CCM_HOST_KUBE);
  const ccm_host_kube* kube = (const ccm_host_kube*)found.table;
  ccm_kube_patch_request patch;
  ccm_kube_create_request creation;
  ccm_event event;
  const ccm_object* nothing = NULL;
  if (kube->cached(found.self, NULL, &nothing) != CCM_CACHE_NOT_WATCHED) abort();
  kube->cached_each(found.self, NULL, NULL, NULL);
  kube->get(found.self, ctx, NULL, kNobody);
  kube->list(found.self, ctx, NULL, kNobody);
  kube->patch(found.self, ctx, NULL, kNobody);
  memset(&patch, 0, sizeof(patch));
  patch.size = sizeof(patch);
  patch.body = kNowhere;
  kube->patch(found.self, ctx, &patch, kNobody);
  kube->patch(found.self, kInvented, &patch, kNobody);
  memset(&creation, 0, sizeof(creation));
  creation.size = sizeof(creation);
  creation.body = kNowhere;
  kube->create(found.self, ctx, NULL, kNobody);
  kube->create(found.self, ctx, &creation, kNobody);
  kube->remove(found.self, ctx, NULL, kNobody);
  found = service(CCM_HOST_EVENT);
  ((const ccm_host_event*)found.table)->record(found.self, NULL);
  memset(&event, 0, sizeof(event));
  event.size = sizeof(event);
  ((const ccm_host_event*)found.table)->record(found.self, &event);
}

static void send_nothing(ccm_ctx ctx) {
  ccm_interface found = service(CCM_HOST_HTTP);
  const ccm_host_http* http = (const ccm_host_http*)found.table;
  ccm_http_request request;
  ccm_completion without_function = {NULL, NULL, 0};
  http->send(found.self, ctx, NULL, kNobody);
  memset(&request, 0, sizeof(request));
  request.size = sizeof(request);
  request.header_count = 9;
  request.secret_count = 9;
  request.body = kNowhere;
  http->send(found.self, ctx, &request, kNobody);
  http->send(found.self, kNoCtx, NULL, without_function);
  http->send_wait(found.self, ctx, NULL, kNobody);
  found = service(CCM_HOST_WORKER);
  ((const ccm_host_worker*)found.table)->run(found.self, ctx, NULL, kNobody);
}

static void call_with_nothing(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                              ccm_completion done) {
  ccm_interface nothing;
  (void)self;
  (void)request;
  log_nothing();
  measure_nothing();
  time_nothing(ctx);
  read_nothing();
  write_nothing(ctx);
  send_nothing(ctx);
  the_host->get_interface(the_host->self, "nothing of the kind/7", &nothing);
  set_nothing_up();
  succeed(done, NULL);
}

struct host_call {
  struct fault fault;
  void (*setup)(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done);
  void (*reconcile)(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                    ccm_completion done);
};
static struct host_call faults[] = {
    {{"create_functions_too_late", NULL}, setup_nodes, create_functions_too_late},
    {{"setup_too_late", NULL}, keep_setup, use_kept_setup},
    {{"wrong_thread", NULL}, setup_nodes, call_in_a_wrong_thread},
    {{"uses_ended_ctx", NULL}, setup_nodes, reconcile_with_the_first_ctx},
    {{"registers_in_destroy", register_all}, setup_nodes, reconcile_nothing},
    {{"calls_after_destroy", NULL}, begin_thread, reconcile_nothing},
    {{"null_arguments", NULL}, call_with_nothing, reconcile_nothing},
};

static void setup_row(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                      ccm_completion done) {
  ((const struct host_call*)self)->setup(self, ctx, request, done);
}

static void reconcile_row(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                          ccm_completion done) {
  ((const struct host_call*)self)->reconcile(self, ctx, request, done);
}
FAULTY_CONTROLLER("host-calls", setup_row, reconcile_row)
