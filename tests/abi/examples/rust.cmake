# Builds the Rust example outside of the source tree, as its README says, and compares how the compiler lays its
# declarations out with the C headers:
#   cmake -DRUSTC=... -DPYTHON=... -DCC=... -DHEADERS=... -DLOCK=<abi_lock.py> -DEXAMPLE=<source folder> -DWORK=<folder> -P ...
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(COPY ${EXAMPLE}/ DESTINATION ${WORK}/source)
run(${RUSTC} --edition 2021 -D warnings --crate-name rack --crate-type cdylib -O ${WORK}/source/src/lib.rs
  -o ${WORK}/rack.so)

set(ENV{CC} ${CC})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
run(${PYTHON} ${LOCK} rust-layout ${WORK}/source/src/ccm.rs ${WORK}/layout.rs)
run(${RUSTC} --edition 2021 ${WORK}/layout.rs -o ${WORK}/layout)
execute_process(COMMAND ${WORK}/layout OUTPUT_FILE ${WORK}/layout.txt COMMAND_ERROR_IS_FATAL ANY)
run(${PYTHON} ${LOCK} check-layout ${HEADERS} ${WORK}/layout.txt)
