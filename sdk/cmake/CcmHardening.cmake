# ccm_harden(TARGET PRIVATE|INTERFACE): what compiler and C library can do against memory faults, as far as this compiler
# has it. Faults end the process instead of going on with other memory:
#   _FORTIFY_SOURCE          copies and formats that leave their buffer (optimised builds; 3 = also of sizes at run time)
#   _GLIBCXX_ASSERTIONS      an index outside of a vector, string or span; an empty optional
#   -fstack-protector-strong a return address that was written over
#   -fstack-clash-protection a large frame that jumps over the stack's guard page
#   -fcf-protection, -mbranch-protection: jumps and returns to places that are none, where the processor checks them
include(CheckCompilerFlag)
include(CheckSourceCompiles)

function(ccm_harden target scope)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(language C)
  if(CXX IN_LIST languages)
    set(language CXX)
  endif()
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "ccm_has${flag}" known)
    # -Werror: Clang only warns of what another processor has.
    set(CMAKE_REQUIRED_FLAGS -Werror)
    check_compiler_flag(${language} ${flag} ${known})
    if(${known})
      target_compile_options(${target} ${scope} $<$<COMPILE_LANGUAGE:C,CXX>:${flag}>)
    endif()
  endforeach()
  # Older C libraries warn that they take 3 for 2.
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_source_compiles(${language} "#include <string.h>\nint main(void) { return 0; }" ccm_has_fortify_3)
  set(level 2)
  if(ccm_has_fortify_3)
    set(level 3)
  endif()
  # Without optimisation there is no such check, and under a sanitizer that one's.
  if(NOT CCM_SANITIZE)
    target_compile_options(${target} ${scope}
      $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-U_FORTIFY_SOURCE>
      $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-D_FORTIFY_SOURCE=${level}>)
  endif()
  target_compile_definitions(${target} ${scope} $<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_ASSERTIONS>)
endfunction()
