# The command line: from arguments to values. Knows manifests as values, and neither Kubernetes nor an event loop.
add_library(ccm_command_line STATIC
  flags/flag_help.cpp flags/flag_set.cpp flags/flag_value.cpp flags/go_values.cpp
  controller_selection.cpp feature_gates.cpp
  options_command_line.cpp options_flags.cpp options_flags_serving.cpp options_later.cpp
  options_plugin_value.cpp options_tls.cpp options_values.cpp
  options_validation.cpp options_validation_network.cpp options_validation_serving.cpp)
target_include_directories(ccm_command_line PUBLIC ${PROJECT_SOURCE_DIR}/core)
target_link_libraries(ccm_command_line PUBLIC ccm_sdk ccm_base PRIVATE ccm_options fmt::fmt-header-only)
