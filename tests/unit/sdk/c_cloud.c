/* A non-blocking provider in C by the helpers of ccm/c: machines and load balancers of an HTTP API.
 * The manifest comes from a file, without ccm_add_plugin(). */
#include <ccm/c/base64.h>
#include <ccm/c/http.h>
#include <ccm/c/json_limits.h>
#include <ccm/c/object.h>
#include <ccm/c/provider.h>
#include <ccm/c/request.h>
#include <ccm/c/taints.h>
#include <ccm/c/text.h>
#include <ccm/c/utf8.h>

#include <stdlib.h>

CCM_PLUGIN_MANIFEST_FILE("c_cloud.json");

struct cloud {
  ccm_interface http;
  ccm_objects objects;
};

/* One operation of the host's, from its begin to its completion. */
struct call {
  struct cloud* cloud;
  ccm_completion done;
  const char* what;
  void (*read)(struct call* call, ccm_value root);
};

/* The host calls this once for each `send`, whatever happens: the call ends here. */
static void answered(void* owner, uint64_t operation, const ccm_status* status,
                     const void* result) {
  struct call* call = owner;
  const ccm_http_response* response = result;
  (void)operation;
  if (status->code != CCM_CODE_OK) {
    ccm_pass(call->done, status, NULL);
  } else if (response->status_code >= 300) {
    ccm_fail_http(call->done, response, call->what);
  } else {
    const ccm_objects objects = call->cloud->objects;
    const ccm_object* answer = objects.table->parse(objects.self, response->body);
    if (answer != NULL) {
      call->read(call, ccm_root(objects, answer));
    } else {
      ccm_fail_format(call->done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE,
                      "%s: the answer is no JSON object", call->what);
    }
    objects.table->release(objects.self, answer);
  }
  free(call);
}

static void start(struct cloud* cloud, ccm_ctx ctx, ccm_completion done, ccm_http_request request,
                  const char* what, void (*read)(struct call* call, ccm_value root)) {
  struct call* call = malloc(sizeof(*call));
  if (call == NULL) {
    ccm_fail(done, CCM_CODE_RESOURCE_EXHAUSTED, CCM_CLASS_UNAVAILABLE, "out of memory");
    return;
  }
  *call = (struct call){cloud, done, what, read};
  request.operation = ccm_text(what);
  const ccm_host_http* http = cloud->http.table;
  http->send(cloud->http.self, ctx, &request, (ccm_completion){answered, call, 0});
}

struct listing {
  ccm_objects objects;
  ccm_instance instances[8];
  const ccm_instance* pointers[8];
  size_t count;
};

static ccm_bool read_machine(void* owner, ccm_str key, ccm_value value) {
  struct listing* listing = owner;
  ccm_instance* to = &listing->instances[listing->count];
  (void)key;
  *to = (ccm_instance){CCM_SIZED(ccm_instance), .state = CCM_INSTANCE_RUNNING,
                       .provider_id = ccm_get_text(listing->objects, value, "/id"),
                       .name = ccm_get_text(listing->objects, value, "/name")};
  listing->pointers[listing->count++] = to;
  return listing->count < 8;
}

static void read_list(struct call* call, ccm_value root) {
  struct listing listing = {.objects = call->cloud->objects};
  if (!ccm_get_is(listing.objects, root, "/machines", CCM_VALUE_ARRAY)) {
    ccm_fail(call->done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "no list of machines");
    return;
  }
  const ccm_value machines = ccm_get(listing.objects, root, "/machines");
  listing.objects.table->each(listing.objects.self, machines, read_machine, &listing);
  if (ccm_get_int(listing.objects, root, "/total", -1) != (int64_t)listing.count) {
    ccm_fail(call->done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "half a list");
    return;
  }
  ccm_ok(call->done, &(ccm_instance_list){CCM_SIZED(ccm_instance_list),
                                          .instances = listing.pointers, .count = listing.count});
}

static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                 ccm_completion done) {
  CCM_REFUSE_UNKNOWN(request, 0, done);
  start(self, ctx, done,
        (ccm_http_request){CCM_SIZED(ccm_http_request), .url = ccm_text("https://cloud/machines")},
        "ListMachines", read_list);
}

static void read_balancer(struct call* call, ccm_value root) {
  ccm_ok(call->done,
         &(ccm_load_balancer){CCM_SIZED(ccm_load_balancer), .state = CCM_LOAD_BALANCER_PENDING,
                              .id = ccm_get_text(call->cloud->objects, root, "/id")});
}

static void ensure(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                   ccm_completion done) {
  CCM_REFUSE_UNLESS(ccm_known_load_balancer_request(request), done);
  ccm_buffer url = {0}, body = {0};
  ccm_append(&url, "https://cloud/lbs/");
  ccm_append_percent_encoded(&url, request->service->uid);
  ccm_append(&body, "{\"name\":");
  ccm_append_json(&body, request->service->name);
  ccm_append_format(&body, ",\"backends\":%zu}", request->backend_count);
  if (url.failed || body.failed) {
    ccm_fail(done, CCM_CODE_RESOURCE_EXHAUSTED, CCM_CLASS_UNAVAILABLE, "out of memory");
  } else {
    start(self, ctx, done,
          (ccm_http_request){CCM_SIZED(ccm_http_request), .method = ccm_text("PUT"),
                             .url = ccm_borrow(&url), .body = ccm_borrow(&body)},
          "PutLoadBalancer", read_balancer);
  }
  ccm_free(&url); /* `send` has copied what it needs */
  ccm_free(&body);
}

static void remove_(void* self, ccm_ctx ctx, const ccm_load_balancer_request* request,
                    ccm_completion done) {
  (void)self, (void)ctx;
  CCM_REFUSE_UNLESS(ccm_known_load_balancer_request(request), done);
  ccm_not_owned(done, "the recorded load balancer is not this Service's");
}

static const ccm_cloud_instances instances = {CCM_SIZED(ccm_cloud_instances), .list = list};
static const ccm_cloud_loadbalancers balancers = {CCM_SIZED(ccm_cloud_loadbalancers),
                                                  .ensure = ensure, .remove = remove_};
CCM_OFFERS(offers, {CCM_CLOUD_INSTANCES, &instances}, {CCM_CLOUD_LOADBALANCERS, &balancers});

static void create(void* self, ccm_ctx ctx, const ccm_create_request* request,
                   ccm_completion done) {
  (void)self, (void)ctx;
  struct cloud* cloud = malloc(sizeof(*cloud));
  if (cloud == NULL) {
    ccm_fail(done, CCM_CODE_RESOURCE_EXHAUSTED, CCM_CLASS_NONE, "out of memory");
    return;
  }
  cloud->http = ccm_service_of(request->host, CCM_HOST_HTTP);
  cloud->objects = ccm_objects_of(request->host);
  ccm_ok_component(done, cloud, offers, free);
}

/* The test holds another plugin too. */
#define ccm_plugin_v1 c_cloud_plugin
CCM_ENTRY(.create = create);
