add_library(ccm_plugin_host STATIC
  component_controller.cpp component_host.cpp completion_table.cpp context.cpp dispatch.cpp host_metrics.cpp
  labels.cpp live_component.cpp origin.cpp plugin_host.cpp reconcile_records.cpp settled_times.cpp warning_notes.cpp
  broker/abi_structs.cpp broker/instance_snapshot.cpp broker/instances_broker.cpp broker/instances_listing.cpp
  broker/instances_service.cpp broker/known_machines.cpp broker/single_calls.cpp
  broker/load_balancer_notes.cpp broker/load_balancer_values.cpp broker/load_balancers_broker.cpp broker/load_balancers_service.cpp
  broker/provider_machines.cpp broker/route_batches.cpp broker/route_values.cpp broker/routes_broker.cpp broker/routes_service.cpp
  broker/turns.cpp
  deletion/absence_gate.cpp deletion/brake_text.cpp deletion/deletion_telemetry.cpp deletion/guarded_object_api.cpp
  deletion/deletion_refusals.cpp deletion/held_nodes.cpp deletion/node_deletion_verdicts.cpp deletion/node_deletions.cpp
  deletion/node_view.cpp
  host_services/config_service.cpp host_services/config_source.cpp host_services/ctx_service.cpp
  host_services/event_recorders.cpp host_services/event_service.cpp host_services/host_operation.cpp host_services/http_access.cpp host_services/http_budgets.cpp
  host_services/http_credentials.cpp host_services/http_service.cpp host_services/kube_access.cpp host_services/kube_service.cpp
  host_services/leader_service.cpp host_services/log_service.cpp host_services/metrics_registry.cpp
  host_services/metrics_service.cpp host_services/object_service.cpp host_services/timer_service.cpp
  host_services/visitor.cpp host_services/worker_service.cpp)
target_include_directories(ccm_plugin_host PUBLIC ${PROJECT_SOURCE_DIR}/core)
target_link_libraries(ccm_plugin_host PUBLIC ccm_abi ccm_plugin_loader ccm_runtime ccm_kube ccm_net ccm_base
  PRIVATE ccm_options prometheus-cpp::core)
# GCC 12 at -O2 sees an offset past a short std::string that is not there.
set_source_files_properties(host_services/config_source.cpp PROPERTIES COMPILE_OPTIONS
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds;-Wno-stringop-overflow>")
