# ccm_unit_tests(TARGET): the tests of an executable, each a process and a line of ctest's own. Under a sanitizer all are
# one process, since there a process needs longer to start than most tests to run.
function(ccm_unit_tests target)
  if(CCM_SANITIZE)
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS unit TIMEOUT 900)
  else()
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 240)
  endif()
endfunction()

# ccm_python_test(NAME SCRIPT LABEL [ARGUMENT...]): a test that needs python3 and, at most, a C compiler. Left out where there
# is no python3 (tests/CMakeLists.txt looks for it and warns).
function(ccm_python_test name script label)
  if(NOT Python3_FOUND)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 120
    ENVIRONMENT "CC=${CMAKE_C_COMPILER};PYTHONDONTWRITEBYTECODE=1")
endfunction()

# ccm_test_on_servers(NAME PROGRAM LABEL [TIMEOUT SECONDS] [KUBE_TIMEOUT SECONDS] [COST SECONDS] [SHARDS NUMBER] [ARGUMENTS ARGUMENT...]):
# a program of tests on the sandbox's API server (NAME.sandbox) and, where there is one, on a real kube-apiserver
# (NAME.kube-apiserver); in SHARDS parts, which run side by side (NAME.sandbox.0).
function(ccm_test_on_servers name program label)
  cmake_parse_arguments(PARSE_ARGV 3 on "" "TIMEOUT;KUBE_TIMEOUT;COST;SHARDS" "ARGUMENTS")
  set(last 0)
  if(on_SHARDS)
    math(EXPR last "${on_SHARDS} - 1")
  endif()
  if(NOT on_COST)
    set(on_COST 0)  # ctest's own default
  endif()
  set(servers sandbox)
  if(CCM_KUBE_APISERVER)
    list(APPEND servers kube-apiserver)
  endif()
  foreach(server ${servers})
    set(kind sandbox)
    set(timeout ${on_TIMEOUT})
    set(environment CCM_TEST_SERVER=${server})
    if(server STREQUAL kube-apiserver)
      set(kind kube)
      list(APPEND environment CCM_KUBE_APISERVER=${CCM_KUBE_APISERVER})
      if(on_KUBE_TIMEOUT)
        set(timeout ${on_KUBE_TIMEOUT})
      endif()
    endif()
    foreach(shard RANGE ${last})
      set(test ${name}.${server})
      set(variables ${environment})
      if(on_SHARDS)
        set(test ${test}.${shard})
        list(APPEND variables GTEST_TOTAL_SHARDS=${on_SHARDS} GTEST_SHARD_INDEX=${shard})
      endif()
      add_test(NAME ${test} COMMAND ${program} ${on_ARGUMENTS})
      set_tests_properties(${test} PROPERTIES
        LABELS "${kind};${label}" TIMEOUT ${timeout} COST ${on_COST} ENVIRONMENT "${variables}")
    endforeach()
  endforeach()
endfunction()
