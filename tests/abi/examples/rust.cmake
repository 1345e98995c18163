# Builds the Rust example as its README says, from the installed SDK alone, runs the tests of the installed crates, and
# compares how the compiler lays the declarations out with the C headers:
#   cmake -DCARGO=... -DPYTHON=... -DCC=... -DHEADERS=... -DLOCK=<abi_lock.py> -DBUILD=<build tree> -DWORK=<folder> -P ...
function(run folder)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}:\n${output}")
  endif()
endfunction()

# Nothing is fetched, and what was compiled once is used again.
set(ENV{CARGO_NET_OFFLINE} true)
set(ENV{CARGO_TARGET_DIR} ${WORK}/target)
set(ENV{RUSTFLAGS} "-D warnings")
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(share ${WORK}/prefix/share/ccm)
run(${WORK} ${CMAKE_COMMAND} --install ${BUILD}/sdk --prefix ${WORK}/prefix --component sdk)
# Where it stands, and as a copy elsewhere.
run(${share}/examples/provider-rust ${CARGO} check)
run(${WORK} ${CMAKE_COMMAND} -E copy_directory ${share}/examples/provider-rust ${WORK}/source)
file(READ ${WORK}/source/Cargo.toml text)
string(REPLACE "../../rust" "${share}/rust" text "${text}")
file(WRITE ${WORK}/source/Cargo.toml "${text}")
run(${WORK}/source ${CARGO} test)
run(${WORK}/source ${CARGO} build --release)
run(${WORK} ${CMAKE_COMMAND} -E copy ${WORK}/target/release/librack.so ${WORK}/rack.so)

# A useful provider is small.
file(READ ${WORK}/source/src/lib.rs text)
string(REGEX MATCHALL "\n" lines "${text}")
list(LENGTH lines count)
if(count GREATER 60)
  message(FATAL_ERROR "the example has ${count} lines, more than 60")
endif()

run(${share}/rust ${CARGO} test --workspace)

set(ENV{CC} ${CC})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
file(WRITE ${WORK}/layout/Cargo.toml "[package]\nname = \"layout\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
  "[dependencies]\nccm-sys = { path = \"${share}/rust/ccm-sys\" }\n")
run(${WORK} ${PYTHON} ${LOCK} rust-layout ${HEADERS} ${WORK}/layout/src/main.rs)
run(${WORK}/layout ${CARGO} build)
execute_process(COMMAND ${WORK}/target/debug/layout OUTPUT_FILE ${WORK}/layout.txt COMMAND_ERROR_IS_FATAL ANY)
run(${WORK} ${PYTHON} ${LOCK} check-layout ${HEADERS} ${WORK}/layout.txt)
