# ccm_unit_tests(TARGET): the tests of an executable, each a process and a line of ctest's own. Under a sanitizer all are
# one process, since there a process needs longer to start than most tests to run.
function(ccm_unit_tests target)
  if(CCM_SANITIZE)
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS unit TIMEOUT 900)
  else()
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 60)
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
