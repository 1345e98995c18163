# A plugin of this folder that is configured by itself, with the SDK that is installed: CMAKE_PREFIX_PATH leads to it.
#   cmake -S plugins/providers/digitalocean -B build-digitalocean -DCMAKE_PREFIX_PATH=/usr/local -DCMAKE_BUILD_TYPE=Release
find_package(ccm REQUIRED)
find_package(nlohmann_json REQUIRED)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/../cmake ${ccm_DIR})
include(CcmCompiler)
include(CcmVersions)
include(CcmAnnotationNames)
add_library(ccm_sdk INTERFACE)
target_link_libraries(ccm_sdk INTERFACE ccm::sdk)
ccm_strict_warnings()
