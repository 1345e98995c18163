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

static void log_nothing(void) {
  const ccm_interface found = service(CCM_HOST_LOG);
  const ccm_host_log* log = (const ccm_host_log*)found.table;
  ccm_log_record record;
  memset(&record, 0, sizeof(record));
  log->write(found.self, NULL, NULL);
  log->write(found.self, NULL, &record);
  record.size = sizeof(record);
  record.level = CCM_LOG_ERROR;
  record.message = kNowhere;
  record.file = kNowhere;
  record.pair_count = 5;
  log->write(found.self, NULL, &record);
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
  metrics->record(found.self, 77, NULL, -1);
}

static void set_nothing_up(const ccm_host_setup* setup) {
  setup->watch(setup->self, NULL);
  setup->queue(setup->self, NULL);
}

static void time_nothing(const ccm_ctx* ctx) {
  ccm_interface found = service(CCM_HOST_TIMER);
  const ccm_host_timer* timer = (const ccm_host_timer*)found.table;
  const ccm_host_ctx* host_ctx;
  timer->after(found.self, INT64_MIN, NULL, NULL);
  timer->after(found.self, INT64_MAX, NULL, NULL);
  timer->cancel(found.self, 12345);
  found = service(CCM_HOST_POST);
  ((const ccm_host_post*)found.table)->post(found.self, NULL, NULL);
  found = service(CCM_HOST_CTX);
  host_ctx = (const ccm_host_ctx*)found.table;
  host_ctx->retain(found.self, NULL);
  host_ctx->release(found.self, NULL);
  host_ctx->release(found.self, host_ctx->with_timeout(found.self, NULL, INT64_MIN));
  host_ctx->release(found.self, host_ctx->with_timeout(found.self, ctx, INT64_MAX));
  host_ctx->remaining_ms(found.self, NULL);
  host_ctx->on_cancel(found.self, ctx, NULL, NULL);
  host_ctx->remove_on_cancel(found.self, ctx, 12345);
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
  objects->equal(found.self, nothing, nothing);
  found = service(CCM_HOST_CONFIG);
  config = (const ccm_host_config*)found.table;
  config->flag(found.self, kNowhere, NULL);
  config->flag(found.self, text("v"), NULL);
  config->cloud_config(found.self, NULL);
  config->secret(found.self, kNowhere, NULL, 5);
  config->secret(found.self, text("PATH"), NULL, 0);
  config->on_change(found.self, NULL, NULL);
}

static void write_nothing(const ccm_ctx* ctx) {
  ccm_interface found = service(CCM_HOST_KUBE);
  const ccm_host_kube* kube = (const ccm_host_kube*)found.table;
  ccm_kube_patch patch;
  ccm_event event;
  kube->cached(found.self, kNowhere, kNowhere, kNowhere);
  kube->cached_each(found.self, kNowhere, kNowhere, NULL, NULL);
  kube->get(found.self, ctx, NULL, kNobody);
  kube->patch(found.self, ctx, NULL, kNobody);
  memset(&patch, 0, sizeof(patch));
  patch.size = sizeof(patch);
  patch.body = kNowhere;
  kube->patch(found.self, ctx, &patch, kNobody);
  kube->create(found.self, ctx, NULL, kNowhere, kNobody);
  kube->remove(found.self, ctx, NULL, kNobody);
  found = service(CCM_HOST_EVENT);
  ((const ccm_host_event*)found.table)->record(found.self, NULL);
  memset(&event, 0, sizeof(event));
  event.size = sizeof(event);
  ((const ccm_host_event*)found.table)->record(found.self, &event);
}

static void send_nothing(const ccm_ctx* ctx) {
  const ccm_interface found = service(CCM_HOST_HTTP);
  const ccm_host_http* http = (const ccm_host_http*)found.table;
  ccm_http_request request;
  ccm_completion without_function = {NULL, NULL, 0};
  http->send(found.self, ctx, NULL, kNobody);
  memset(&request, 0, sizeof(request));
  request.size = sizeof(request);
  request.header_count = 9;
  request.body = kNowhere;
  http->send(found.self, ctx, &request, kNobody);
  http->send(found.self, NULL, NULL, without_function);
}

static void setup(void* self, const ccm_ctx* ctx, const ccm_host_setup* setup,
                  ccm_completion done) {
  ccm_interface nothing;
  (void)self;
  log_nothing();
  measure_nothing();
  time_nothing(ctx);
  read_nothing();
  write_nothing(ctx);
  send_nothing(ctx);
  the_host->get_interface(the_host->self, "nothing of the kind/7", &nothing);
  set_nothing_up(setup);
  succeed(done, NULL);
}
FAULTY_CONTROLLER("null-arguments", setup, reconcile_nothing)
