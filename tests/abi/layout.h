/* The layout that existing binaries rely on: places of members, sizes of values in arrays or passed
 * by value, values of constants. Included from C and from C++. */
#ifndef CCM_TESTS_ABI_LAYOUT_H
#define CCM_TESTS_ABI_LAYOUT_H

#include <ccm/abi/config.h>
#include <ccm/abi/controller.h>
#include <ccm/abi/event.h>
#include <ccm/abi/http.h>
#include <ccm/abi/instances.h>
#include <ccm/abi/kube.h>
#include <ccm/abi/leader.h>
#include <ccm/abi/loadbalancers.h>
#include <ccm/abi/log.h>
#include <ccm/abi/metrics.h>
#include <ccm/abi/plugin.h>
#include <ccm/abi/provider.h>
#include <ccm/abi/routes.h>
#include <ccm/abi/timer.h>
#include <ccm/abi/worker.h>

#ifdef __cplusplus
#define CHECK(condition) static_assert(condition, #condition)
#else
#define CHECK(condition) _Static_assert(condition, #condition)
#endif
#define AT(type, member, offset) CHECK(offsetof(type, member) == (offset))

/* Frozen: these stand in arrays or travel by value. */
CHECK(sizeof(ccm_str) == 16);
AT(ccm_str, len, 8);
CHECK(sizeof(ccm_key_value) == 32);
CHECK(sizeof(ccm_interface) == 16);
CHECK(sizeof(ccm_completion) == 24);
AT(ccm_completion, owner, 8);
AT(ccm_completion, operation, 16);
CHECK(sizeof(ccm_value) == 16);
CHECK(sizeof(ccm_node_address) == 32);
CHECK(sizeof(ccm_service_port) == 56);
AT(ccm_service_port, port, 48);
CHECK(sizeof(ccm_ingress_port) == 40);
AT(ccm_ingress_port, port, 32);

/* Every table and every struct that is passed by pointer starts with its size. */
#define SIZED(type)  \
  AT(type, size, 0); \
  CHECK(sizeof(((type*)0)->size) == 4)
SIZED(ccm_backend);
SIZED(ccm_cloud_instances);
SIZED(ccm_cloud_loadbalancers);
SIZED(ccm_cloud_routes);
SIZED(ccm_component);
SIZED(ccm_controller);
SIZED(ccm_event);
SIZED(ccm_host);
SIZED(ccm_host_config);
SIZED(ccm_host_ctx);
SIZED(ccm_host_event);
SIZED(ccm_host_http);
SIZED(ccm_host_kube);
SIZED(ccm_host_leader);
SIZED(ccm_host_log);
SIZED(ccm_host_metrics);
SIZED(ccm_host_object);
SIZED(ccm_host_post);
SIZED(ccm_host_setup);
SIZED(ccm_host_timer);
SIZED(ccm_host_worker);
SIZED(ccm_http_request);
SIZED(ccm_http_response);
SIZED(ccm_ingress);
SIZED(ccm_instance);
SIZED(ccm_instance_list);
SIZED(ccm_kube_delete);
SIZED(ccm_kube_patch);
SIZED(ccm_kube_reference);
SIZED(ccm_load_balancer);
SIZED(ccm_load_balancer_limits);
SIZED(ccm_log_record);
SIZED(ccm_metric);
SIZED(ccm_node_identity);
SIZED(ccm_plugin);
SIZED(ccm_provider);
SIZED(ccm_queue);
SIZED(ccm_queue_options);
SIZED(ccm_reconcile_request);
SIZED(ccm_reconcile_result);
SIZED(ccm_route);
SIZED(ccm_route_limits);
SIZED(ccm_route_list);
SIZED(ccm_route_results);
SIZED(ccm_service);
SIZED(ccm_status);
SIZED(ccm_watch);

/* The entry: what every plugin ever built fills. */
AT(ccm_plugin, abi_minor, 4);
AT(ccm_plugin, manifest, 8);
AT(ccm_plugin, create, 24);
AT(ccm_host, abi_minor, 4);
AT(ccm_host, self, 8);
AT(ccm_host, get_interface, 16);
AT(ccm_component, self, 8);
AT(ccm_component, get_interface, 16);
AT(ccm_component, destroy, 24);
AT(ccm_status, code, 4);
AT(ccm_status, error_class, 8);
AT(ccm_status, retry_after_ms, 16);
AT(ccm_status, reason, 24);
AT(ccm_status, message, 40);
AT(ccm_provider, initialize, 8);
AT(ccm_cloud_instances, list, 8);
AT(ccm_cloud_instances, describe, 16);
AT(ccm_cloud_instances, get, 24);
AT(ccm_cloud_loadbalancers, observe, 8);
AT(ccm_cloud_loadbalancers, ensure, 16);
AT(ccm_cloud_loadbalancers, update_backends, 24);
AT(ccm_cloud_loadbalancers, remove, 32);
AT(ccm_cloud_loadbalancers, name, 40);
AT(ccm_cloud_loadbalancers, limits, 48);
AT(ccm_cloud_routes, list, 8);
AT(ccm_cloud_routes, apply, 16);
AT(ccm_cloud_routes, limits, 24);
AT(ccm_controller, setup, 8);
AT(ccm_controller, reconcile, 16);
AT(ccm_controller, stop, 24);
CHECK(CCM_ABI_MAJOR == 1);
CHECK(CCM_CODE_UNAUTHENTICATED == 16);
CHECK(CCM_CODE_IMPLEMENTED_ELSEWHERE == 100);
CHECK(CCM_CLASS_UNSUPPORTED == 9);
CHECK(CCM_INSTANCE_ABSENT == 4);
CHECK(CCM_LOAD_BALANCER_FOREIGN == 3);
CHECK(CCM_ROUTE_BLACKHOLE == 2);

#undef SIZED
#undef AT
#undef CHECK

#endif
