# A plugin of this folder that is configured by itself, with the SDK that is installed: CMAKE_PREFIX_PATH leads to it.
#   cmake -S plugins/providers/digitalocean -B build-digitalocean -DCMAKE_PREFIX_PATH=/usr/local -DCMAKE_BUILD_TYPE=Release
option(CCM_UNITY_BUILD "Compile in batches of files: a clean build is quicker, one after an edit slower" OFF)
set(CMAKE_UNITY_BUILD ${CCM_UNITY_BUILD})
find_package(ccm REQUIRED)
find_package(nlohmann_json REQUIRED)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/../cmake ${ccm_DIR})
include(CcmCompiler)
include(CcmVersions)
include(CcmAnnotationNames)
add_library(ccm_sdk INTERFACE)
target_link_libraries(ccm_sdk INTERFACE ccm::sdk)
ccm_strict_warnings()
