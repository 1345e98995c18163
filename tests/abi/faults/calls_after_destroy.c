/* Fault: a thread of its own goes on after destroy and calls each service of the host. It waits for
 * the file "go" in the folder FAULTY_FOLDER, and writes what came of it to the file "outcome". */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static void nothing_to_free(void* self) { (void)self; }
#define FAULTY_DESTROY nothing_to_free
#include "faulty.h"

#include <ccm/abi/crypto.h>
#include <ccm/abi/ctx.h>
#include <ccm/abi/hint.h>
#include <ccm/abi/object.h>

static int calls;
static int drops;
static int refusals;
static const ccm_ctx none;

/* The services, as they were found while the component lived. */
static ccm_interface timer, post, context, file, http, worker, kube, leader, config, metrics, event,
    hint, crypto, objects, logger;

static void called(void* owner) {
  (void)owner;
  ++calls;
}

static void dropped(void* owner) {
  (void)owner;
  ++drops;
}

static void refused(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)owner;
  (void)operation;
  if (status->code == CCM_CODE_FAILED_PRECONDITION && result == NULL) ++refusals;
}

static void hand_over(ccm_callback callback) {
  const ccm_host_leader* led = (const ccm_host_leader*)leader.table;
  const ccm_host_config* configured = (const ccm_host_config*)config.table;
  if (((const ccm_host_timer*)timer.table)->after(timer.self, 1, callback) != 0) ++calls;
  ((const ccm_host_post*)post.table)->post(post.self, callback);
  if (((const ccm_host_ctx*)context.table)->on_end(context.self, none, callback) != 0) ++calls;
  if (((const ccm_host_file*)file.table)->watch(file.self, text("/etc/x"), callback) != 0) ++calls;
  if (led->on_change(leader.self, callback)) ++calls;
  if (configured->on_change(config.self, callback)) ++calls;
}

static void start_operations(ccm_callback callback) {
  const ccm_host_http* web = (const ccm_host_http*)http.table;
  const ccm_host_kube* api = (const ccm_host_kube*)kube.table;
  const ccm_completion done = {refused, NULL, 0};
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
  api->get(kube.self, none, &get, done);
  web->send(http.self, none, &request, done);
  web->send_wait(http.self, none, &request, done);
  ((const ccm_host_worker*)worker.table)->run(worker.self, none, &work, done);
  ((const ccm_host_file*)file.table)->read(file.self, none, &read, done);
}

/* Functions whose answer does not matter. */
static void call_the_rest(void) {
  const ccm_host_ctx* contexts = (const ccm_host_ctx*)context.table;
  const ccm_host_leader* led = (const ccm_host_leader*)leader.table;
  const ccm_host_config* configured = (const ccm_host_config*)config.table;
  const ccm_host_kube* api = (const ccm_host_kube*)kube.table;
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
  ((const ccm_host_timer*)timer.table)->now_ms(timer.self);
  ((const ccm_host_timer*)timer.table)->cancel(timer.self, 1);
  contexts->remaining_ms(context.self, none);
  contexts->cancel(context.self, contexts->with_timeout(context.self, none, 1000));
  led->leading(leader.self);
  led->transitions(leader.self);
  configured->flag(config.self, text("cluster-name"), &value);
  if (api->cached(kube.self, &node, &object) == CCM_CACHE_FOUND) ++calls;
  ((const ccm_host_metrics*)metrics.table)->define(metrics.self, &metric);
  ((const ccm_host_metrics*)metrics.table)->record(metrics.self, 1, NULL, 0, 1);
  ((const ccm_host_event*)event.table)->record(event.self, &about);
  ((const ccm_host_hint*)hint.table)->changed(hint.self, &news);
  ((const ccm_host_crypto*)crypto.table)->random(crypto.self, bytes, sizeof(bytes));
  object = ((const ccm_host_object*)objects.table)->parse(objects.self, text("{}"));
  ((const ccm_host_object*)objects.table)->release(objects.self, object);
  ((const ccm_host_log*)logger.table)->write(logger.self, none, &record);
  add_key(text("n"), 0, 0);
}

static void* wait_and_call(void* folder) {
  const ccm_callback callback = {called, dropped, NULL};
  char path[512];
  FILE* out;
  snprintf(path, sizeof(path), "%s/go", (const char*)folder);
  while (access(path, F_OK) != 0) usleep(1000);
  hand_over(callback);
  start_operations(callback);
  call_the_rest();
  snprintf(path, sizeof(path), "%s/outcome.new", (const char*)folder);
  out = fopen(path, "w");
  if (out == NULL) abort();
  fprintf(out, "%d called, %d dropped, %d refused\n", calls, drops, refusals);
  fclose(out);
  snprintf(path, sizeof(path), "%s/outcome", (const char*)folder);
  {
    char before[520];
    snprintf(before, sizeof(before), "%s.new", path);
    rename(before, path);
  }
  return folder;
}

static void begin(void* self, ccm_ctx ctx, const ccm_setup_request* request, ccm_completion done) {
  pthread_t thread;
  timer = service(CCM_HOST_TIMER);
  post = service(CCM_HOST_POST);
  context = service(CCM_HOST_CTX);
  file = service(CCM_HOST_FILE);
  http = service(CCM_HOST_HTTP);
  worker = service(CCM_HOST_WORKER);
  kube = service(CCM_HOST_KUBE);
  leader = service(CCM_HOST_LEADER);
  config = service(CCM_HOST_CONFIG);
  metrics = service(CCM_HOST_METRICS);
  event = service(CCM_HOST_EVENT);
  hint = service(CCM_HOST_HINT);
  crypto = service(CCM_HOST_CRYPTO);
  objects = service(CCM_HOST_OBJECT);
  logger = service(CCM_HOST_LOG);
  if (pthread_create(&thread, NULL, wait_and_call, getenv("FAULTY_FOLDER")) == 0) {
    pthread_detach(thread);
  }
  setup_nodes(self, ctx, request, done);
}
FAULTY_CONTROLLER("calls-after-destroy", begin, reconcile_nothing)
