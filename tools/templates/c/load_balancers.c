/* A load balancer for each Service: GET and POST /load-balancers, GET, PUT and DELETE /load-balancers/ID. */
#include "load_balancers.h"

#include <ccm/c/request.h>

#define PATH "/load-balancers"

struct operation {
  const struct provider *provider;
  ccm_ctx ctx;
  const ccm_service *service;
  ccm_completion done;
  ccm_buffer mark;          /* has the Service's UID, so the load balancer can be nobody else's */
  ccm_buffer body;          /* the JSON of the load balancer that the Service asks for */
  const ccm_object *wanted; /* the same, parsed */
  ccm_buffer id, address;   /* of the one with our mark; an empty id = none yet */
  ccm_buffer path;          /* of the next request */
  ccm_bool as_wanted;       /* the one with our mark needs no change */
  ccm_bool foreign;         /* the recorded id leads to one without it */
  ccm_bool go_on;           /* the operation has not ended */
  const char *difference;
};

static void describe(struct operation *operation, const ccm_load_balancer_request *request) {
  const ccm_service *service = request->service;
  ccm_buffer *body = &operation->body;
  ccm_append_text(&operation->mark, service->cluster_name);
  ccm_append(&operation->mark, "/");
  ccm_append_text(&operation->mark, service->uid);
  ccm_append(body, "{\"mark\":");
  ccm_append_json(body, ccm_borrow(&operation->mark));
  ccm_append(body, ",\"spec\":{\"ports\":[");
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
  /* Who may come in; none: everybody. A cloud that cannot keep others out refuses them. */
  ccm_append(body, "],\"sources\":[");
  for (size_t i = 0; i < service->source_range_count; ++i) {
    if (i > 0) ccm_append(body, ",");
    ccm_append_json(body, service->source_ranges[i]);
  }
  ccm_append(body, "]}}");
}

static void set(ccm_buffer *buffer, ccm_str text) {
  ccm_free(buffer);
  ccm_append_text(buffer, text);
}

static void path_of(struct operation *operation, ccm_str id) {
  set(&operation->path, ccm_text(PATH "/"));
  ccm_append_percent_encoded(&operation->path, id);
}

static ccm_bool is_memory_short(const struct operation *operation) {
  return operation->mark.failed || operation->body.failed || operation->id.failed || operation->address.failed ||
         operation->path.failed || operation->wanted == NULL;
}

/* Keeps a load balancer that bears our mark. */
static ccm_bool take(struct operation *operation, ccm_value json) {
  const ccm_objects objects = operation->provider->objects;
  if (!ccm_is(ccm_get_text(objects, json, "/mark"), operation->mark.data)) return 0;
  set(&operation->id, ccm_get_text(objects, json, "/id"));
  set(&operation->address, ccm_get_text(objects, json, "/address"));
  operation->as_wanted = objects.table->equal(objects.self, ccm_get(objects, json, "/spec"),
                                              ccm_get(objects, ccm_root(objects, operation->wanted), "/spec"));
  return 1;
}

/* The recorded id proves nothing and says where to look. */
static void read_recorded(void *owner, const ccm_http_response *response, ccm_value json) {
  struct operation *operation = owner;
  operation->go_on = response->status_code < 300 || response->status_code == 404;
  if (!operation->go_on) return ccm_fail_http(operation->done, response, "GetLoadBalancer");
  if (response->status_code == 404) return;
  operation->foreign = !take(operation, json);
}

static ccm_bool read_one(void *owner, ccm_str key, ccm_value json) {
  (void)key;
  return !take(owner, json);
}

/* A list that cannot be read is a failure, and no absence. */
static void read_page(void *owner, const ccm_http_response *response, ccm_value json) {
  struct operation *operation = owner;
  const ccm_objects objects = operation->provider->objects;
  if (response->status_code >= 300) return ccm_fail_http(operation->done, response, "ListLoadBalancers");
  if (!ccm_get_is(objects, json, "/loadBalancers", CCM_VALUE_ARRAY)) {
    return ccm_fail(operation->done, CCM_CODE_DATA_LOSS, CCM_CLASS_UNAVAILABLE, "ListLoadBalancers: the answer has no list");
  }
  objects.table->each(objects.self, ccm_get(objects, json, "/loadBalancers"), read_one, operation);
  next_page(&operation->path, PATH, ccm_get_text(objects, json, "/next"));
  operation->go_on = 1;
}

/* 0 = the operation has ended. */
static ccm_bool send(struct operation *operation, const char *name, const char *method, ccm_str body, reader read) {
  const struct question question = {name, method, ccm_borrow(&operation->path), body};
  operation->go_on = 0;
  if (is_memory_short(operation)) {
    ccm_fail(operation->done, CCM_CODE_UNAVAILABLE, CCM_CLASS_UNAVAILABLE, "out of memory");
  } else {
    ask(operation->provider, operation->ctx, &question, operation->done, read, operation);
  }
  return operation->go_on;
}

/* Looks at the recorded id, and then for the mark. 0 = the operation has ended. */
static ccm_bool find(struct operation *operation) {
  const ccm_str nothing = {NULL, 0};
  path_of(operation, operation->service->id);
  if (operation->service->id.len > 0 && !send(operation, "GetLoadBalancer", "GET", nothing, read_recorded)) return 0;
  set(&operation->path, ccm_text(PATH));
  while (operation->id.length == 0 && operation->path.length > 0) {
    if (!send(operation, "ListLoadBalancers", "GET", nothing, read_page)) return 0;
  }
  return 1;
}

static void complete(struct operation *operation, const char *difference) {
  const ccm_ingress ingress = {CCM_SIZED(ccm_ingress), .ip = ccm_borrow(&operation->address)};
  const ccm_ingress *const all[] = {&ingress};
  const ccm_load_balancer balancer = {
      CCM_SIZED(ccm_load_balancer),
      /* Without an address the cloud still works on it; the host asks again. */
      .state = ingress.ip.len > 0 ? CCM_LOAD_BALANCER_ACTIVE : CCM_LOAD_BALANCER_PENDING,
      .id = ccm_borrow(&operation->id), .difference = ccm_text(difference),
      .ingress = all, .ingress_count = ingress.ip.len > 0 ? 1 : 0};
  ccm_ok(operation->done, &balancer);
}

static void read_written(void *owner, const ccm_http_response *response, ccm_value json) {
  struct operation *operation = owner;
  if (response->status_code >= 300) return ccm_fail_http(operation->done, response, "WriteLoadBalancer");
  if (take(operation, json)) return complete(operation, operation->difference);
  ccm_fail(operation->done, CCM_CODE_DATA_LOSS, CCM_CLASS_UNAVAILABLE, "WriteLoadBalancer: the answer has no load balancer");
}

static void read_removed(void *owner, const ccm_http_response *response, ccm_value json) {
  (void)json;
  struct operation *operation = owner;
  if (response->status_code < 300 || response->status_code == 404) return ccm_ok(operation->done, NULL);
  ccm_fail_http(operation->done, response, "DeleteLoadBalancer");
}

/* Compares before it writes: a second call writes nothing. */
static void ensure(struct operation *operation) {
  const ccm_load_balancer foreign = {CCM_SIZED(ccm_load_balancer), .state = CCM_LOAD_BALANCER_FOREIGN};
  if (!find(operation)) return;
  const ccm_bool is_there = operation->id.length > 0;
  const ccm_bool is_adopted = !is_there && operation->service->adopt_id.len > 0;
  if (is_there && operation->as_wanted) return complete(operation, "");
  if (!is_there && !is_adopted && operation->foreign) return ccm_ok(operation->done, &foreign);
  operation->difference = is_there ? "ports or backends" : is_adopted ? "taken over" : "created";
  if (is_there) path_of(operation, ccm_borrow(&operation->id));
  if (is_adopted) path_of(operation, operation->service->adopt_id);
  if (!is_there && !is_adopted) set(&operation->path, ccm_text(PATH));
  send(operation, "WriteLoadBalancer", is_there || is_adopted ? "PUT" : "POST", ccm_borrow(&operation->body), read_written);
}

/* Nothing is written for a load balancer that is not there, or somebody else's. */
static void remove_found(struct operation *operation) {
  const ccm_str nothing = {NULL, 0};
  if (!find(operation)) return;
  if (operation->id.length == 0 && operation->foreign) {
    ccm_not_owned(operation->done, "the load balancer with the recorded id is somebody else's");
  } else if (operation->id.length == 0) {
    ccm_ok(operation->done, NULL);
  } else {
    path_of(operation, ccm_borrow(&operation->id));
    send(operation, "DeleteLoadBalancer", "DELETE", nothing, read_removed);
  }
}

static void run(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done,
                void (*act)(struct operation *operation)) {
  CCM_REFUSE_UNLESS(ccm_known_load_balancer_request(request), done);
  struct operation operation = {.provider = self, .ctx = ctx, .service = request->service, .done = done};
  const ccm_objects objects = operation.provider->objects;
  describe(&operation, request);
  operation.wanted = objects.table->parse(objects.self, ccm_borrow(&operation.body));
  act(&operation);
  if (operation.wanted != NULL) objects.table->release(objects.self, operation.wanted);
  ccm_buffer *const buffers[] = {&operation.mark, &operation.body, &operation.id, &operation.address, &operation.path};
  for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); ++i) ccm_free(buffers[i]);
}

void ensure_load_balancer(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done) {
  run(self, ctx, request, done, ensure);
}

void remove_load_balancer(void *self, ccm_ctx ctx, const ccm_load_balancer_request *request, ccm_completion done) {
  run(self, ctx, request, done, remove_found);
}
