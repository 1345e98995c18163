add_library(ccm_plugin_loader STATIC
  access_rules.cpp elf_facts.cpp elf_note.cpp elf_reader.cpp
  file_checks.cpp folder_checks.cpp host_interfaces.cpp loader.cpp
  manifest.cpp manifest_options.cpp manifest_reader.cpp
  pins.cpp plugin_file.cpp registry.cpp run_path.cpp text.cpp)
target_include_directories(ccm_plugin_loader PUBLIC ${PROJECT_SOURCE_DIR}/core)
target_link_libraries(ccm_plugin_loader PUBLIC ccm_abi
  PRIVATE ccm_options ccm_base nlohmann_json::nlohmann_json OpenSSL::Crypto ${CMAKE_DL_LIBS})
