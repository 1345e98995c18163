add_library(ccm_plugin_loader STATIC
  elf_facts.cpp elf_note.cpp elf_reader.cpp
  manifest.cpp manifest_options.cpp manifest_reader.cpp)
target_include_directories(ccm_plugin_loader PUBLIC ${PROJECT_SOURCE_DIR}/core)
target_link_libraries(ccm_plugin_loader PUBLIC ccm_abi
  PRIVATE ccm_options nlohmann_json::nlohmann_json OpenSSL::Crypto Boost::headers ${CMAKE_DL_LIBS})
