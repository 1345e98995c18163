# Builds the Go example outside of the source tree, against the installed SDK, as its README says, and runs the tests of
# sdk/go: cmake -DGO=... -DBUILD=<build tree> -DEXAMPLE=<source folder> -DSDK=<sdk/go> -DWORK=<folder> -P ...
function(run folder)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}:\n${output}")
  endif()
endfunction()

# Nothing is fetched, and the author's settings do not count.
set(ENV{GOPROXY} off)
set(ENV{GOTOOLCHAIN} local)
set(ENV{GOFLAGS} "")
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${WORK} ${CMAKE_COMMAND} --install ${BUILD}/sdk --prefix ${WORK}/prefix --component sdk)
file(COPY ${EXAMPLE}/ DESTINATION ${WORK}/source)
run(${WORK}/source ${GO} mod edit -replace ccm=${WORK}/prefix/share/ccm/go)
run(${WORK}/source ${GO} vet .)
run(${WORK}/source ${GO} build -buildmode=c-shared -o ${WORK}/rack.so .)
run(${SDK} ${GO} vet ./...)
run(${SDK} ${GO} test ./...)
