# Builds the Go examples as their READMEs say, from the installed SDK alone, and runs the tests of the installed module:
# cmake -DGO=... -DBUILD=<build tree> -DWORK=<folder> -P ...
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
set(share ${WORK}/prefix/share/ccm)
run(${WORK} ${CMAKE_COMMAND} --install ${BUILD}/sdk --prefix ${WORK}/prefix --component sdk)
# Where it stands, and as a copy elsewhere.
run(${share}/examples/provider-go ${GO} vet .)
run(${WORK} ${CMAKE_COMMAND} -E copy_directory ${share}/examples/provider-go ${WORK}/source)
run(${WORK}/source ${GO} mod edit -replace ccm=${share}/go)
run(${WORK}/source ${GO} vet .)
run(${WORK}/source ${GO} build -buildmode=c-shared -o ${WORK}/rack.so .)
run(${WORK}/source ${GO} test .)
# The example for Hetzner Cloud, with the fake of its API.
run(${WORK} ${CMAKE_COMMAND} -E copy_directory ${share}/examples/provider-hetzner ${WORK}/hetzner)
run(${WORK}/hetzner ${GO} mod edit -replace ccm=${share}/go)
run(${WORK}/hetzner ${GO} vet ./...)
run(${WORK}/hetzner ${GO} build -buildmode=c-shared -o ${WORK}/hcloud.so .)
run(${WORK}/hetzner ${GO} build -o ${WORK}/hcloud-fake ./cmd/fake)
run(${WORK}/hetzner ${GO} test ./...)
run(${share}/go ${GO} vet ./...)
run(${share}/go ${GO} test ./...)
