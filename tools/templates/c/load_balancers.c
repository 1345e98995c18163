/* A load balancer for each Service: GET, PUT and DELETE /load-balancers/NAME. */
#include "load_balancers.h"

#include <ccm/c/request.h>

#define PATH "/load-balancers/"

struct operation {
  const struct provider *provider;
  ccm_completion done;
  ccm_buffer path;          /* its name has the Service's UID, so the load balancer can be nobody else's */
  ccm_buffer body;          /* the JSON of the load balancer that the Service asks for */
  const ccm_object *wanted; /* the same, parsed */
  const char *difference;   /* between it and what exists */
  ccm_bool go_on;           /* the operation has not ended: a write has to follow */
};

static void describe(ccm_buffer *body, const ccm_load_balancer_request *request) {
  const ccm_service *service = request->service;
  ccm_append(body, "{\"ports\":[");
  for (size_t i = 0; i < service->port_count; ++i) {
    const ccm_service_port *port = service->ports[i];
    ccm_append(body, i > 0 ? ",{\"protocol\":" : "{\"protocol\":");
    ccm_append_json(body, port->protocol);
    ccm_append_format(body, ",\"port\":%d,\"nodePort\":%d}", (int)port->port, (int)port->node_port);
  }
  ccm_append(body, "],\"machines\":[");
  for (size_t i = 0; i < request->backend_count; ++i) {
    if (i > 0) ccm_append(body, ",");
    ccm_append_json(body, request->backends[i]->provider_id);
  }
  ccm_append(body, "]}");
}

static void complete(struct operation *operation, ccm_value answer, const char *difference) {
  const ccm_str path = ccm_borrow(&operation->path);
  const ccm_ingress ingress = {CCM_SIZED(ccm_ingress), .ip = ccm_get_text(operation->provider->objects, answer, "/address")};
  const ccm_ingress *const all[] = {&ingress};
  const ccm_load_balancer balancer = {
      CCM_SIZED(ccm_load_balancer),
      /* Without an address the cloud still works on it; the host asks again. */
      .state = ingress.ip.len > 0 ? CCM_LOAD_BALANCER_ACTIVE : CCM_LOAD_BALANCER_PENDING,
      .id = {path.ptr + strlen(PATH), path.len - strlen(PATH)}, .difference = ccm_text(difference),
      .ingress = all, .ingress_count = ingress.ip.len > 0 ? 1 : 0};
  ccm_ok(operation->done, &balancer);
}

/* Compares before it writes: a second call writes nothing. */
static void compare(void *owner, const ccm_http_response *response, ccm_value json) {
  struct operation *operation = owner;
  const ccm_objects objects = operation->provider->objects;
  if (response->status_code == 404) {
    operation->difference = "created";
  } else if (response->status_code >= 300) {
    return ccm_fail_http(operation->done, response, "GetLoadBalancer");
  } else if (objects.table->equal(objects.self, ccm_get(objects, json, "/spec"), ccm_root(objects, operation->wanted))) {
    return complete(operation, json, "");
  } else {
    operation->difference = "ports or backends";
  }
  operation->go_on = 1;
}

static void written(void *owner, const ccm_http_response *response, ccm_value json) {
  struct operation *operation = owner;
  if (response->status_code >= 300) return ccm_fail_http(operation->done, response, "PutLoadBalancer");
  complete(operation, json, operation->difference);
}

/* Nothing is written for a load balancer that is not there. */
static void find(void *owner, const ccm_http_response *response, ccm_value json) {
  (void)json;
  struct operation *operation = owner;
  if (response->status_code == 404) return ccm_ok(operation->done, NULL);
  if (response->status_code >= 300) return ccm_fail_http(operation->done, response, "GetLoadBalancer");
  operation->go_on = 1;
}

static void removed(void *owner, const ccm_http_response *response, ccm_value json) {
  (void)json;
  struct operation *operation = owner;
  if (response->status_code < 300 || response->status_code == 404) return ccm_ok(operation->done, NULL);
  ccm_fail_http(operation->done, response, "DeleteLoadBalancer");
}

static void name(ccm_buffer *path, const ccm_service *service) {
  ccm_append(path, PATH);
  ccm_append_escaped(path, service->cluster_name);
  ccm_append(path, "-");
  ccm_append_escaped(path, service->uid);
}

void ensure_load_balancer(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done) {
  CCM_REFUSE_UNLESS(ccm_known_load_balancer_request(request), done);
  struct operation operation = {.provider = self, .done = done};
  const ccm_objects objects = operation.provider->objects;
  name(&operation.path, request->service);
  describe(&operation.body, request);
  operation.wanted = objects.table->parse(objects.self, ccm_borrow(&operation.body));
  if (operation.path.failed || operation.wanted == NULL) {
    ccm_fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  } else {
    const struct question get = {"GetLoadBalancer", "GET", ccm_borrow(&operation.path), {NULL, 0}};
    const struct question put = {"PutLoadBalancer", "PUT", get.path, ccm_borrow(&operation.body)};
    ask(self, ctx, &get, done, compare, &operation);
    if (operation.go_on) ask(self, ctx, &put, done, written, &operation);
  }
  if (operation.wanted != NULL) objects.table->release(objects.self, operation.wanted);
  ccm_free(&operation.body);
  ccm_free(&operation.path);
}

void remove_load_balancer(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done) {
  CCM_REFUSE_UNLESS(ccm_known_load_balancer_request(request), done);
  struct operation operation = {.provider = self, .done = done};
  name(&operation.path, request->service);
  const struct question get = {"GetLoadBalancer", "GET", ccm_borrow(&operation.path), {NULL, 0}};
  const struct question remove = {"DeleteLoadBalancer", "DELETE", get.path, {NULL, 0}};
  if (operation.path.failed) {
    ccm_fail(done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  } else {
    ask(self, ctx, &get, done, find, &operation);
    if (operation.go_on) ask(self, ctx, &remove, done, removed, &operation);
  }
  ccm_free(&operation.path);
}
