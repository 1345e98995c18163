/*
 * The parts that Go cannot say by itself: C functions for the host to call, and calls of the host's
 * function pointers. A function that the host lacks counts as refused.
 */
#ifndef CCM_GO_GLUE_H
#define CCM_GO_GLUE_H

#include <ccm/abi/config.h>
#include <ccm/abi/ctx.h>
#include <ccm/abi/event.h>
#include <ccm/abi/file.h>
#include <ccm/abi/hint.h>
#include <ccm/abi/http.h>
#include <ccm/abi/http_client.h>
#include <ccm/abi/instances.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/leader.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/object.h>
#include <ccm/abi/owned.h>
#include <ccm/abi/plugin.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/routes.h>
#include <ccm/abi/status.h>
#include <ccm/abi/timer.h>

/* The operations of a provider: the index of operations[] in operations.go, and a bit of
 * ccm_go_component_new(). */
enum {
  CCM_GO_INITIALIZE,
  CCM_GO_SHUTDOWN,
  CCM_GO_LIST_INSTANCES,
  CCM_GO_DESCRIBE_INSTANCES,
  CCM_GO_GET_INSTANCE,
  CCM_GO_INSTANCE_LIMITS,
  CCM_GO_OBSERVE,
  CCM_GO_ENSURE,
  CCM_GO_UPDATE_BACKENDS,
  CCM_GO_REMOVE,
  CCM_GO_NAME,
  CCM_GO_LANE,
  CCM_GO_LOAD_BALANCER_LIMITS,
  CCM_GO_LIST_ROUTES,
  CCM_GO_APPLY_ROUTES,
  CCM_GO_ROUTE_LIMITS,
  CCM_GO_LIST_OWNED,
  CCM_GO_REMOVE_OWNED,
  CCM_GO_HAS_CLUSTER_ID, /* no operation, but optional too */
  CCM_GO_OPERATION_COUNT
};

/* The services of one component's host. */
typedef struct ccm_go_services {
  ccm_interface log, ctx, config, timer, http, http_client, object, file, metrics, event, hint,
      leader, kube;
  uint32_t abi_minor; /* of the host */
} ccm_go_services;

/* A component with its tables; `self` of everything that the host calls. */
typedef struct ccm_go_component ccm_go_component;

/* Tables with the functions whose bits are set; `handle` is what Go gets back. NULL = out of
 * memory. */
ccm_go_component* ccm_go_component_new(uintptr_t handle, uint32_t functions);
void ccm_go_component_free(ccm_go_component* component);

/* Completes `create` with it. */
void ccm_go_created(ccm_go_component* component, ccm_completion done);

/* Looks for all services. */
void ccm_go_find_services(const ccm_host* host, ccm_go_services* out);

/* Copies the request at `from` to `to`; 0 when it has parts that this side does not know. */
ccm_bool ccm_go_read(const void* from, void* to, size_t known, uint32_t known_flags);

/* Copies a result of the host's, as far as it is known. */
void ccm_go_copy(const void* from, void* to, size_t known);

/* Ends an operation. */
void ccm_go_complete(ccm_completion done, const ccm_status* status, const void* result);

/* ccm/abi/log.h */
ccm_bool ccm_go_log_enabled(const ccm_go_services* host, int32_t level);
void ccm_go_log_write(const ccm_go_services* host, ccm_ctx ctx, const ccm_log_record* record);

/* ccm/abi/ctx.h; `handle` gets ccmGoRun and ccmGoDrop, here and below. */
int64_t ccm_go_remaining_ms(const ccm_go_services* host, ccm_ctx ctx);
ccm_ctx ccm_go_with_timeout(const ccm_go_services* host, ccm_ctx parent, int64_t timeout_ms);
void ccm_go_cancel(const ccm_go_services* host, ccm_ctx ctx);
void ccm_go_on_end(const ccm_go_services* host, ccm_ctx ctx, uintptr_t handle);

/* ccm/abi/config.h */
ccm_bool ccm_go_flag(const ccm_go_services* host, ccm_str name, ccm_str* out);
ccm_bool ccm_go_flag_given(const ccm_go_services* host, ccm_str name);
ccm_bool ccm_go_cloud_config(const ccm_go_services* host, ccm_str* out);
int64_t ccm_go_secret(const ccm_go_services* host, ccm_str name, char* buffer, size_t capacity);
ccm_bool ccm_go_on_change(const ccm_go_services* host, uintptr_t handle);
void ccm_go_rejected(const ccm_go_services* host, ccm_str file, ccm_str reason);
void ccm_go_accepted(const ccm_go_services* host, ccm_str file);

/* ccm/abi/timer.h */
int64_t ccm_go_wall_clock_ms(const ccm_go_services* host);
uint64_t ccm_go_after(const ccm_go_services* host, int64_t delay_ms, uintptr_t handle);
void ccm_go_cancel_timer(const ccm_go_services* host, uint64_t timer);

/* ccm/abi/http.h: through a client, or the host's own when `client` has no table. `handle` gets
 * ccmGoDone; 0 = the host has no such service. */
ccm_bool ccm_go_send(const ccm_go_services* host, ccm_interface client, ccm_ctx ctx,
                     const ccm_http_request* request, uintptr_t handle);
ccm_bool ccm_go_open_client(const ccm_go_services* host, ccm_ctx ctx,
                            const ccm_http_client_options* request, uintptr_t handle);
void ccm_go_close_client(const ccm_go_services* host, uint64_t number);

/* ccm/abi/object.h */
void ccm_go_retain(const ccm_go_services* host, const ccm_object* object);
void ccm_go_release(const ccm_go_services* host, const ccm_object* object);
ccm_bool ccm_go_text(const ccm_go_services* host, const ccm_object* object, ccm_str pointer,
                     ccm_str* out);
ccm_str ccm_go_json(const ccm_go_services* host, const ccm_object* object);

/* ccm/abi/file.h */
ccm_bool ccm_go_read_file(const ccm_go_services* host, ccm_ctx ctx,
                          const ccm_read_file_request* request, uintptr_t handle);
uint64_t ccm_go_watch_file(const ccm_go_services* host, ccm_str path, uintptr_t handle);
void ccm_go_unwatch_file(const ccm_go_services* host, uint64_t registration);

/* ccm/abi/kube.h */
ccm_bool ccm_go_get(const ccm_go_services* host, ccm_ctx ctx, const ccm_kube_get_request* request,
                    uintptr_t handle);

/* ccm/abi/metrics.h */
uint64_t ccm_go_define(const ccm_go_services* host, const ccm_metric* metric);
void ccm_go_record(const ccm_go_services* host, uint64_t metric, const ccm_str* labels,
                   size_t label_count, double value);

/* ccm/abi/event.h, hint.h, leader.h */
void ccm_go_event(const ccm_go_services* host, const ccm_event* about);
void ccm_go_hint(const ccm_go_services* host, const ccm_hint* about);
ccm_bool ccm_go_leading(const ccm_go_services* host);
uint64_t ccm_go_transitions(const ccm_go_services* host);
ccm_bool ccm_go_on_leading(const ccm_go_services* host, uintptr_t handle);

#endif
