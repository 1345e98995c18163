/* Fault: calls every function of every host service with NULL and with counts that have no list. */
#include "faulty.h"

static void ignore(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)owner;
  (void)operation;
  (void)result;
  if (status->code == CCM_CODE_OK) abort(); /* nothing that was asked for makes sense */
}

static const ccm_completion kNobody = {ignore, NULL, 0};
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

static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
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
FAULTY_CONTROLLER("null-arguments", setup, reconcile_nothing)
