# ccm_add_plugin(NAME KIND controller|provider MANIFEST plugin.json SOURCES a.cpp b.cpp ... [LIBRARIES lib ...]
#                [OFFERS instances loadbalancers routes owned] [NO_HARDENING])
#
# Builds NAME.so, a plugin of the ccm host: one exported symbol (ccm_plugin_v1), hidden visibility, immediate binding,
# no undefined symbols, no run path. The manifest becomes `ccm_plugin_manifest.h`, which one source file includes; that
# header puts the text into the ELF note that the host and `ccmctl plugin inspect` read without running code.
# @PROJECT_VERSION@ in the manifest is replaced by the project's version. Two fields are filled in where they are missing: "abi",
# from the headers, and "interfaces" of each component, a provider's from what OFFERS lists.
# It is compiled with the checks of ccm_harden() (CcmHardening.cmake), which end the process at a memory fault; with
# NO_HARDENING it is not.
# The file lands in <build>/lib/ccm/<KIND>s/, where a host built in the same tree finds it, and is installed under
# <prefix>/lib/ccm/<KIND>s/. CCM_PLUGIN_DIR takes the place of lib/ccm; the installed package has that of its host.
set(CCM_ADD_PLUGIN_DIR ${CMAKE_CURRENT_LIST_DIR})
include(${CMAKE_CURRENT_LIST_DIR}/CcmHardening.cmake)

# ccm_header_value(OUT HEADER NAME): the value of a constant of ccm/abi, as its header defines it. Text without quotes.
function(ccm_header_value out header name)
  # In the source tree, and beside the installed package.
  unset(ccm_headers)
  find_path(ccm_headers ccm/abi/base.h NO_CACHE NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED
    PATHS ${CCM_ADD_PLUGIN_DIR}/../include ${CCM_ADD_PLUGIN_DIR}/../../../include ${CCM_ADD_PLUGIN_DIR}/../../../../include)
  file(STRINGS ${ccm_headers}/ccm/abi/${header} line REGEX "^#define ${name} ")
  string(REGEX REPLACE "^#define ${name} \"?([^\" ]+)\"?.*" "\\1" value "${line}")
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

# ccm_abi_package(OUT): the virtual Debian package that a host of these headers provides, and on which a plugin's package
# depends: ccm-abi-1.
function(ccm_abi_package out)
  ccm_header_value(major plugin.h CCM_ABI_MAJOR)
  set(${out} ccm-abi-${major} PARENT_SCOPE)
endfunction()

# ccm_complete_manifest(VARIABLE OFFERS...): fills in what the manifest in that variable leaves out.
function(ccm_complete_manifest variable)
  set(text "${${variable}}")
  string(JSON abi ERROR_VARIABLE missing GET "${text}" abi)
  if(missing)
    ccm_header_value(major plugin.h CCM_ABI_MAJOR)
    ccm_header_value(minor plugin.h CCM_ABI_MINOR)
    string(JSON text SET "${text}" abi "\"${major}.${minor}\"")
  endif()
  ccm_header_value(controller controller.h CCM_CONTROLLER)
  ccm_header_value(provider provider.h CCM_PROVIDER)
  foreach(interface ${ARGN})
    string(TOUPPER ${interface} name)
    ccm_header_value(id ${interface}.h CCM_CLOUD_${name})
    string(APPEND provider "\", \"${id}")
  endforeach()
  string(JSON count ERROR_VARIABLE none LENGTH "${text}" components)
  if(NOT none AND count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(index RANGE ${last})
      string(JSON kind ERROR_VARIABLE unknown GET "${text}" components ${index} kind)
      string(JSON given ERROR_VARIABLE missing GET "${text}" components ${index} interfaces)
      if(missing AND kind MATCHES "^(controller|provider)$")
        string(JSON text SET "${text}" components ${index} interfaces "[\"${${kind}}\"]")
      endif()
    endforeach()
  endif()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

function(ccm_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 plugin "NO_HARDENING" "KIND;MANIFEST" "SOURCES;LIBRARIES;OFFERS")
  if(NOT plugin_KIND MATCHES "^(controller|provider)$")
    message(FATAL_ERROR "ccm_add_plugin(${name}): KIND must be controller or provider, not '${plugin_KIND}'")
  endif()
  foreach(interface ${plugin_OFFERS})
    if(NOT interface MATCHES "^(instances|loadbalancers|routes|owned)$")
      message(FATAL_ERROR "ccm_add_plugin(${name}): OFFERS knows instances, loadbalancers, routes and owned, not '${interface}'")
    endif()
  endforeach()
  if(NOT plugin_MANIFEST OR NOT plugin_SOURCES)
    message(FATAL_ERROR "ccm_add_plugin(${name}): MANIFEST and SOURCES are needed")
  endif()

  get_filename_component(manifest ${plugin_MANIFEST} ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
  file(READ ${manifest} text)
  string(CONFIGURE "${text}" text @ONLY)
  ccm_complete_manifest(text ${plugin_OFFERS})
  foreach(field id version abi)
    string(JSON value ERROR_VARIABLE fault GET "${text}" ${field})
    if(fault)
      message(FATAL_ERROR "${manifest}: ${fault}; every manifest needs \"${field}\"")
    endif()
  endforeach()
  # A C string literal: escaped, one piece a line, so that the note is the text as written.
  string(REPLACE "\\" "\\\\" literal "${text}")
  string(REPLACE "\"" "\\\"" literal "${literal}")
  string(REGEX REPLACE "\r?\n" "\\\\n\"\n  \"" literal "${literal}")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${name}.plugin)
  file(CONFIGURE OUTPUT ${generated}/ccm_plugin_manifest.h @ONLY CONTENT
"/* Generated from the plugin's manifest by ccm_add_plugin(). */
#include <ccm/abi/plugin.h>
CCM_PLUGIN_MANIFEST(
  \"@literal@\");
")

  add_library(${name} MODULE ${plugin_SOURCES})
  target_include_directories(${name} PRIVATE ${generated})
  if(TARGET ccm::sdk)
    target_link_libraries(${name} PRIVATE ccm::sdk)
    if(NOT plugin_NO_HARDENING)
      ccm_harden(${name} PRIVATE)
    endif()
  else()
    target_link_libraries(${name} PRIVATE ccm_sdk ccm_options)
  endif()
  target_link_libraries(${name} PRIVATE ${plugin_LIBRARIES})
  target_link_options(${name} PRIVATE
    -Wl,--version-script=${CCM_ADD_PLUGIN_DIR}/plugin.map -Wl,--exclude-libs,ALL
    -Wl,-z,now,-z,relro,-z,noexecstack)
  # The sanitizers' runtime is resolved from the host, so their builds leave symbols open.
  if(NOT CCM_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX ".so" POSITION_INDEPENDENT_CODE ON SKIP_BUILD_RPATH ON
    CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${CCM_ADD_PLUGIN_DIR}/plugin.map
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CCM_PLUGIN_DIR}/${plugin_KIND}s)
  install(TARGETS ${name} LIBRARY DESTINATION ${CCM_PLUGIN_DIR}/${plugin_KIND}s COMPONENT ${name})
endfunction()
