# ccm_unit_tests(TARGET): the tests of an executable, each a process and a line of ctest's own. Under a sanitizer all are
# one process, since there a process needs longer to start than most tests to run.
function(ccm_unit_tests target)
  if(CCM_SANITIZE)
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS unit TIMEOUT 300)
  else()
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS unit TIMEOUT 60)
  endif()
endfunction()
