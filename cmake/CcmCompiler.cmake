# Language, warnings, hardening and sanitizers. Every target of ours links `ccm_options`.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
# The sanitizers' presets. Their suites wait more than they compute, so the compiler's time is what counts.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0 -g1")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O0 -g1")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
include(CheckPIESupported)
check_pie_supported()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(ccm_options INTERFACE)
target_compile_options(ccm_options INTERFACE
  -Wall -Wextra $<$<BOOL:${CCM_WARNINGS_AS_ERRORS}>:-Werror>
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  # The optimiser of GCC 12 takes Asio's allocator of coroutine frames for a mismatch.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-mismatched-new-delete>
  # In a batch of files GCC takes their unnamed namespaces for a header's.
  $<$<AND:$<BOOL:${CCM_UNITY_BUILD}>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-subobject-linkage>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  -fvisibility=hidden
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
# ccm_strict_warnings(): for the shipped code of a folder. GoogleTest's macros and test fixtures would only add noise.
macro(ccm_strict_warnings)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wshadow> -Wconversion)
endmacro()
target_link_options(ccm_options INTERFACE -Wl,-z,relro,-z,now -Wl,--as-needed)
if(CCM_SANITIZE)
  add_compile_options(-fsanitize=${CCM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CCM_SANITIZE})
  if(CCM_SANITIZE MATCHES thread)
    # GCC 12 warns about std::atomic_thread_fence in Asio, which TSan does not model.
    target_compile_options(ccm_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=tsan>)
  endif()
endif()
include(CcmHardening)
ccm_harden(ccm_options INTERFACE)
