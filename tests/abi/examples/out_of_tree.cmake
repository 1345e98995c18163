# Installs the SDK into a folder of its own and builds an example against it, as a provider's author
# would: cmake -DBUILD=<build tree> -DEXAMPLE=<source folder> -DWORK=<folder> -DPLUGIN=<file> [-DCOMPILER=<C++>] -P ...
# EXAMPLE is copied first, so that nothing of the source tree is found by accident.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}:\n${output}")
  endif()
endfunction()

if(COMPILER)
  set(compiler -DCMAKE_CXX_COMPILER=${COMPILER})
endif()
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD}/sdk --prefix ${WORK}/prefix)
file(COPY ${EXAMPLE}/ DESTINATION ${WORK}/source)
run(${CMAKE_COMMAND} -S ${WORK}/source -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_BUILD_TYPE=Debug ${compiler} "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
run(${CMAKE_COMMAND} --build ${WORK}/build)
if(NOT EXISTS ${WORK}/build/lib/ccm/${PLUGIN})
  message(FATAL_ERROR "the example built no ${PLUGIN}")
endif()

# The checks of ccm_harden() reach the author's plugin, in a release build with _FORTIFY_SOURCE too.
run(${CMAKE_COMMAND} -S ${WORK}/source -B ${WORK}/release -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${compiler})
file(READ ${WORK}/release/compile_commands.json commands)
set(wanted -fstack-protector-strong -fstack-clash-protection -D_FORTIFY_SOURCE=)
if(commands MATCHES "\\.cpp\"")
  list(APPEND wanted -D_GLIBCXX_ASSERTIONS)
endif()
foreach(flag ${wanted})
  string(FIND "${commands}" "${flag}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "the example is compiled without ${flag}:\n${commands}")
  endif()
endforeach()
