/* Fault: hands over callbacks and starts operations when it is destroyed. Says how many of them
 * were refused inside the call. */
#include <stddef.h>

static void register_all(void* self);
#define FAULTY_DESTROY register_all
#include "faulty.h"

#include <ccm/abi/ctx.h>

static int refusals;

static void never(void* owner) {
  (void)owner;
  abort();
}

static void dropped(void* owner) {
  (void)owner;
  ++refusals;
}

static void refused(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
  (void)owner;
  (void)operation;
  (void)result;
  if (status->code == CCM_CODE_FAILED_PRECONDITION) ++refusals;
}

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
  callback.drop = dropped;
  callback.owner = NULL;
  done.fn = refused;
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
FAULTY_CONTROLLER("registers-in-destroy", setup_nodes, reconcile_nothing)
