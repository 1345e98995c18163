# Each part has a version and a CHANGELOG.md of its own; tools/release makes notes and tags from them. A plugin's version is
# in its plugin.json, the others' are these.
set(CCM_HOST_VERSION 0.1.0)
set(CCM_SDK_VERSION 0.1.0)
set(CCM_TOOLS_VERSION 0.1.0)
set(CCM_SANDBOX_VERSION 0.1.0)

# ccm_plugin_version(OUT plugin.json)
function(ccm_plugin_version out manifest)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manifest})
  file(READ ${manifest} text)
  string(JSON version GET "${text}" version)
  set(${out} ${version} PARENT_SCOPE)
endfunction()
