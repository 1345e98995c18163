/* Calls of the host's functions. */
#include "_cgo_export.h"
#include "glue.h"

#include <string.h>

/* Declares `table` and `self` of a service, and returns `refused` when the host lacks it or this
 * function of it. */
#define FIND(type, service, member, refused) \
  const type* table = host->service.table;   \
  void* self = host->service.self;           \
  if (table == NULL || !CCM_HAS(table, member) || table->member == NULL) return refused

static void run(void* owner) { ccmGoRun((uintptr_t)owner); }
static void drop(void* owner) { ccmGoDrop((uintptr_t)owner); }

static ccm_callback callback(uintptr_t handle) {
  const ccm_callback made = {run, drop, (void*)handle};
  return made;
}

static void completed(void* owner, uint64_t operation, const ccm_status* status,
                      const void* result) {
  (void)operation;
  ccm_status known;
  ccm_copy_known(&known, sizeof(known), status);
  if (!CCM_HAS(status, code)) known.code = CCM_CODE_INTERNAL;
  ccmGoDone((uintptr_t)owner, &known, (void*)result);
}

static ccm_completion completion(uintptr_t handle) {
  const ccm_completion made = {completed, (void*)handle, 0};
  return made;
}

static void find(const ccm_host* host, const char* id, ccm_interface* out) {
  if (!host->get_interface(host->self, id, out)) memset(out, 0, sizeof(*out));
}

void ccm_go_find_services(const ccm_host* host, ccm_go_services* out) {
  find(host, CCM_HOST_LOG, &out->log);
  find(host, CCM_HOST_CTX, &out->ctx);
  find(host, CCM_HOST_CONFIG, &out->config);
  find(host, CCM_HOST_TIMER, &out->timer);
  find(host, CCM_HOST_HTTP, &out->http);
  find(host, CCM_HOST_HTTP_CLIENT, &out->http_client);
  find(host, CCM_HOST_OBJECT, &out->object);
  find(host, CCM_HOST_FILE, &out->file);
  find(host, CCM_HOST_METRICS, &out->metrics);
  find(host, CCM_HOST_EVENT, &out->event);
  find(host, CCM_HOST_HINT, &out->hint);
  find(host, CCM_HOST_LEADER, &out->leader);
  find(host, CCM_HOST_KUBE, &out->kube);
  out->abi_minor = host->abi_minor;
}

ccm_bool ccm_go_log_enabled(const ccm_go_services* host, int32_t level) {
  FIND(ccm_host_log, log, enabled, 0);
  return table->enabled(self, level);
}

void ccm_go_log_write(const ccm_go_services* host, ccm_ctx ctx, const ccm_log_record* record) {
  FIND(ccm_host_log, log, write, );
  table->write(self, ctx, record);
}

int64_t ccm_go_remaining_ms(const ccm_go_services* host, ccm_ctx ctx) {
  FIND(ccm_host_ctx, ctx, remaining_ms, INT64_MAX);
  return table->remaining_ms(self, ctx);
}

ccm_ctx ccm_go_with_timeout(const ccm_go_services* host, ccm_ctx parent, int64_t timeout_ms) {
  FIND(ccm_host_ctx, ctx, with_timeout, parent);
  return table->with_timeout(self, parent, timeout_ms);
}

void ccm_go_cancel(const ccm_go_services* host, ccm_ctx ctx) {
  FIND(ccm_host_ctx, ctx, cancel, );
  table->cancel(self, ctx);
}

void ccm_go_on_end(const ccm_go_services* host, ccm_ctx ctx, uintptr_t handle) {
  FIND(ccm_host_ctx, ctx, on_end, ccmGoDrop(handle));
  table->on_end(self, ctx, callback(handle));
}

ccm_bool ccm_go_flag(const ccm_go_services* host, ccm_str name, ccm_str* out) {
  FIND(ccm_host_config, config, flag, 0);
  return table->flag(self, name, out);
}

ccm_bool ccm_go_flag_given(const ccm_go_services* host, ccm_str name) {
  FIND(ccm_host_config, config, flag_given, 0);
  return table->flag_given(self, name);
}

ccm_bool ccm_go_cloud_config(const ccm_go_services* host, ccm_str* out) {
  FIND(ccm_host_config, config, cloud_config, 0);
  return table->cloud_config(self, out);
}

int64_t ccm_go_secret(const ccm_go_services* host, ccm_str name, char* buffer, size_t capacity) {
  FIND(ccm_host_config, config, secret, -1);
  return table->secret(self, name, buffer, capacity);
}

ccm_bool ccm_go_on_change(const ccm_go_services* host, uintptr_t handle) {
  FIND(ccm_host_config, config, on_change, (ccmGoDrop(handle), 0));
  return table->on_change(self, callback(handle));
}

void ccm_go_rejected(const ccm_go_services* host, ccm_str file, ccm_str reason) {
  FIND(ccm_host_config, config, rejected, );
  table->rejected(self, file, reason);
}

void ccm_go_accepted(const ccm_go_services* host, ccm_str file) {
  FIND(ccm_host_config, config, accepted, );
  table->accepted(self, file);
}

int64_t ccm_go_wall_clock_ms(const ccm_go_services* host) {
  FIND(ccm_host_timer, timer, wall_clock_ms, 0);
  return table->wall_clock_ms(self);
}

uint64_t ccm_go_after(const ccm_go_services* host, int64_t delay_ms, uintptr_t handle) {
  FIND(ccm_host_timer, timer, after, (ccmGoDrop(handle), 0));
  return table->after(self, delay_ms, callback(handle));
}

void ccm_go_cancel_timer(const ccm_go_services* host, uint64_t timer) {
  FIND(ccm_host_timer, timer, cancel, );
  table->cancel(self, timer);
}

ccm_bool ccm_go_send(const ccm_go_services* host, ccm_interface client, ccm_ctx ctx,
                     const ccm_http_request* request, uintptr_t handle) {
  const ccm_interface http = client.table != NULL ? client : host->http;
  const ccm_host_http* table = http.table;
  if (table == NULL || !CCM_HAS(table, send) || table->send == NULL) return 0;
  table->send(http.self, ctx, request, completion(handle));
  return 1;
}

ccm_bool ccm_go_open_client(const ccm_go_services* host, ccm_ctx ctx,
                            const ccm_http_client_options* request, uintptr_t handle) {
  FIND(ccm_host_http_client, http_client, open, 0);
  table->open(self, ctx, request, completion(handle));
  return 1;
}

void ccm_go_close_client(const ccm_go_services* host, uint64_t number) {
  FIND(ccm_host_http_client, http_client, close, );
  table->close(self, number);
}

void ccm_go_retain(const ccm_go_services* host, const ccm_object* object) {
  FIND(ccm_host_object, object, retain, );
  table->retain(self, object);
}

void ccm_go_release(const ccm_go_services* host, const ccm_object* object) {
  FIND(ccm_host_object, object, release, );
  table->release(self, object);
}

ccm_bool ccm_go_text(const ccm_go_services* host, const ccm_object* object, ccm_str pointer,
                     ccm_str* out) {
  FIND(ccm_host_object, object, text, 0);
  return table->text(self, table->find(self, object, pointer), out);
}

ccm_str ccm_go_json(const ccm_go_services* host, const ccm_object* object) {
  const ccm_str none = {NULL, 0};
  FIND(ccm_host_object, object, json, none);
  return table->json(self, object);
}

ccm_bool ccm_go_read_file(const ccm_go_services* host, ccm_ctx ctx,
                          const ccm_read_file_request* request, uintptr_t handle) {
  FIND(ccm_host_file, file, read, 0);
  table->read(self, ctx, request, completion(handle));
  return 1;
}

uint64_t ccm_go_watch_file(const ccm_go_services* host, ccm_str path, uintptr_t handle) {
  FIND(ccm_host_file, file, watch, (ccmGoDrop(handle), 0));
  return table->watch(self, path, callback(handle));
}

void ccm_go_unwatch_file(const ccm_go_services* host, uint64_t registration) {
  FIND(ccm_host_file, file, unwatch, );
  table->unwatch(self, registration);
}

uint64_t ccm_go_define(const ccm_go_services* host, const ccm_metric* metric) {
  FIND(ccm_host_metrics, metrics, define, 0);
  return table->define(self, metric);
}

void ccm_go_record(const ccm_go_services* host, uint64_t metric, const ccm_str* labels,
                   size_t label_count, double value) {
  FIND(ccm_host_metrics, metrics, record, );
  table->record(self, metric, labels, label_count, value);
}

void ccm_go_event(const ccm_go_services* host, const ccm_event* about) {
  FIND(ccm_host_event, event, record, );
  table->record(self, about);
}

void ccm_go_hint(const ccm_go_services* host, const ccm_hint* about) {
  FIND(ccm_host_hint, hint, changed, );
  table->changed(self, about);
}

ccm_bool ccm_go_leading(const ccm_go_services* host) {
  FIND(ccm_host_leader, leader, leading, 0);
  return table->leading(self);
}

uint64_t ccm_go_transitions(const ccm_go_services* host) {
  FIND(ccm_host_leader, leader, transitions, 0);
  return table->transitions(self);
}

ccm_bool ccm_go_on_leading(const ccm_go_services* host, uintptr_t handle) {
  FIND(ccm_host_leader, leader, on_change, (ccmGoDrop(handle), 0));
  return table->on_change(self, callback(handle));
}

ccm_bool ccm_go_get(const ccm_go_services* host, ccm_ctx ctx, const ccm_kube_get_request* request,
                    uintptr_t handle) {
  FIND(ccm_host_kube, kube, get, 0);
  table->get(self, ctx, request, completion(handle));
  return 1;
}
