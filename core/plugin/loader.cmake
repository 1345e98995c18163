add_library(ccm_plugin_loader STATIC
  access_rules.cpp elf_facts.cpp elf_note.cpp elf_reader.cpp
  file_checks.cpp host_interfaces.cpp loader.cpp
  manifest.cpp manifest_options.cpp manifest_reader.cpp
  plugin_file.cpp registry.cpp text.cpp)
target_include_directories(ccm_plugin_loader PUBLIC ${PROJECT_SOURCE_DIR}/core)
target_link_libraries(ccm_plugin_loader PUBLIC ccm_abi
  PRIVATE ccm_options ccm_base nlohmann_json::nlohmann_json OpenSSL::Crypto Boost::headers ${CMAKE_DL_LIBS})
# Boost.DLL on std::filesystem needs no library of Boost.
target_compile_definitions(ccm_plugin_loader PRIVATE BOOST_DLL_USE_STD_FS)
