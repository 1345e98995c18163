# Precompiled headers that several targets share. GCC takes one only for the very flags with which it was made, so there
# is one owner for static libraries (-fPIC) and another for test executables (-fPIE).

# ccm_precompiled(NAME LIBRARY|EXECUTABLE header LIBRARIES lib...): the owner of `header`.
function(ccm_precompiled name kind header)
  cmake_parse_arguments(PARSE_ARGV 3 owner "" "" "LIBRARIES")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  if(kind STREQUAL EXECUTABLE)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() { return 0; }\n")
    add_executable(${name} ${source})
  else()
    file(CONFIGURE OUTPUT ${source} CONTENT "// Owns a precompiled header.\n")
    add_library(${name} OBJECT ${source})
  endif()
  target_link_libraries(${name} PRIVATE ccm_options ${owner_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${header})
endfunction()

# Every test executable below `folder`, whatever made it.
function(ccm_precompile_tests folder owner)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    # GoogleTest defines macros for who links it, and GCC compares them.
    if(type STREQUAL EXECUTABLE AND libraries MATCHES "GTest::" AND NOT target STREQUAL owner)
      target_precompile_headers(${target} REUSE_FROM ${owner})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    ccm_precompile_tests(${below} ${owner})
  endforeach()
endfunction()
