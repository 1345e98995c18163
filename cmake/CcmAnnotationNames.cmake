# The names of a provider's annotations stand in its plugin.json alone. ccm_annotation_names(PROVIDER HEADER) writes a constant
# for each: service.beta.kubernetes.io/do-loadbalancer-tls-ports is ccm::digitalocean::annotation::kTlsPorts.
function(ccm_annotation_names provider header)
  set(manifest ${CMAKE_CURRENT_SOURCE_DIR}/plugin.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
  file(READ ${manifest} json)
  string(JSON count LENGTH "${json}" serviceAnnotations known)
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON name GET "${json}" serviceAnnotations known ${index} name)
    string(REGEX REPLACE "^.*(/|do-loadbalancer-|aws-load-balancer-)" "" short "${name}")
    string(REPLACE "-" ";" words "${short}")
    set(constant k)
    foreach(word ${words})
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(TOUPPER ${first} first)
      string(APPEND constant ${first}${rest})
    endforeach()
    string(APPEND constants "inline constexpr std::string_view ${constant} =\n    \"${name}\";\n")
    string(APPEND all "    ${constant},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT [[
// Written by CcmAnnotationNames.cmake from plugin.json.
#pragma once

#include <array>
#include <string_view>

namespace ccm::@provider@::annotation {

@constants@
// In the order of the manifest.
inline constexpr std::array<std::string_view, @count@> kAll{{
@all@}};

}  // namespace ccm::@provider@::annotation
]])
endfunction()
