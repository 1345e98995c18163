# Debian packages, one for each part that is installed by itself: `make deb`, with the preset `package`. The plugin ABI is the
# only tie between host and plugins (a virtual package), so each can be upgraded alone.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "ccm")
set(CPACK_PACKAGE_CONTACT "ccm maintainers <maintainers@ccm.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
# /usr is the prefix, with /etc beside it.
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

find_package(Python3 COMPONENTS Interpreter REQUIRED)

ccm_abi_package(abi_package)

# The date of each part, so that the same sources give the same bytes, and a change of one part changes no other's package.
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/release dates
  OUTPUT_VARIABLE dates ERROR_VARIABLE fault RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "Packages need dates: set SOURCE_DATE_EPOCH, or build in a checkout of git.\n${fault}")
endif()

set(folder ${PROJECT_BINARY_DIR}/debian)
# Components with the names, versions and dates of their packages, for deploy/debian/build: cpack gives all packages of one
# run the same version.
set(table ${folder}/packages)
file(WRITE ${table} "")

# ccm_component_part(OUT COMPONENT): the part, as tools/release names it.
function(ccm_component_part out component)
  set(part ${component})
  if(component STREQUAL "metapackage")
    set(part host)
  endif()
  set(${out} ${part} PARENT_SCOPE)
endfunction()

# ccm_component_version(OUT COMPONENT)
function(ccm_component_version out component)
  file(GLOB manifest ${PROJECT_SOURCE_DIR}/plugins/*/${component}/plugin.json)
  if(manifest)
    ccm_plugin_version(version ${manifest})
  elseif(component STREQUAL "sdk")
    set(version ${CCM_SDK_VERSION})
  elseif(component STREQUAL "tools")
    set(version ${CCM_TOOLS_VERSION})
  elseif(component STREQUAL "ccm-sandbox")
    set(version ${CCM_SANDBOX_VERSION})
  else()
    set(version ${CCM_HOST_VERSION})
  endif()
  set(${out} ${version} PARENT_SCOPE)
endfunction()

# ccm_component_date(OUT COMPONENT): seconds since 1970.
function(ccm_component_date out component)
  ccm_component_part(part ${component})
  if(NOT dates MATCHES "(^|\n)${part} ([0-9]+)\n")
    message(FATAL_ERROR "tools/release knows no part ${part}")
  endif()
  set(${out} ${CMAKE_MATCH_2} PARENT_SCOPE)
endfunction()

# ccm_package(COMPONENT NAME DESCRIPTION [SECTION s] [DEPENDS d...] [PROVIDES p...] [RECOMMENDS r...]
#   [SUGGESTS s...] [ENHANCES e...])
# The first line of DESCRIPTION is the summary.
set(CPACK_COMPONENTS_ALL "")
macro(ccm_package component name description)
  cmake_parse_arguments(package "" "SECTION" "DEPENDS;PROVIDES;RECOMMENDS;SUGGESTS;ENHANCES" ${ARGN})
  string(TOUPPER ${component} upper)
  ccm_component_version(version ${component})
  ccm_component_part(part ${component})
  ccm_component_date(date ${component})
  file(APPEND ${table} "${component} ${name} ${part} ${version} ${date}\n")
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION admin)
  if(package_SECTION)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${package_SECTION})
  endif()
  foreach(relation DEPENDS PROVIDES RECOMMENDS SUGGESTS ENHANCES)
    list(JOIN package_${relation} ", " CPACK_DEBIAN_${upper}_PACKAGE_${relation})
  endforeach()
  # Debian's policy, 12.5 and 12.7. deploy/debian/build writes them.
  install(FILES ${folder}/${component}/copyright ${folder}/${component}/changelog.gz
    DESTINATION share/doc/${name} COMPONENT ${component})
endmacro()

# A manual page from the program's own --help; the host's has the flags of all controllers.
function(ccm_manual program section component summary)
  ccm_component_version(version ${component})
  ccm_component_date(date ${component})
  set(page ${folder}/${program}.${section}.gz)
  set(writer ${PROJECT_SOURCE_DIR}/deploy/debian/manual.py)
  set(file ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${program})
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${date} ${Python3_EXECUTABLE}
      ${writer} ${file} ${section} ${summary} ${version} ${page}
    DEPENDS programs ${file} ${writer} VERBATIM)
  list(APPEND pages ${page})
  set(pages ${pages} PARENT_SCOPE)
  install(FILES ${page} DESTINATION share/man/man${section} COMPONENT ${component})
endfunction()
set(pages "")
ccm_manual(cloud-controller-manager 8 host "connect a Kubernetes cluster to its cloud")
ccm_manual(ccmctl 1 tools "ask a cloud-controller-manager and look at its plugins")
ccm_manual(ccm-sandbox 1 ccm-sandbox "a Kubernetes API server and a cloud in memory")
ccm_manual(ccm-demo 1 ccm-sandbox "watch the cloud-controller-manager in a cluster in memory")
add_custom_target(manuals DEPENDS ${pages})

# The service. An administrator enables it; its settings are kept by dpkg as they were edited.
install(FILES ${PROJECT_SOURCE_DIR}/deploy/debian/cloud-controller-manager.service
  DESTINATION lib/systemd/system COMPONENT host)
install(FILES ${PROJECT_SOURCE_DIR}/deploy/debian/cloud-controller-manager.default
  DESTINATION /etc/default RENAME cloud-controller-manager COMPONENT host)
install(DIRECTORY DESTINATION /etc/cloud-controller-manager COMPONENT host)
file(WRITE ${folder}/conffiles "/etc/default/cloud-controller-manager\n")
set(CPACK_DEBIAN_HOST_PACKAGE_CONTROL_EXTRA ${folder}/conffiles)

ccm_package(host ccm-host "Kubernetes cloud-controller-manager, without plugins
It connects a Kubernetes cluster to its cloud. This is the host: flags,
connection to the API server, leader election, metrics. Controllers
(ccm-controller-*) and one provider (ccm-provider-*) are plugins."
  PROVIDES ${abi_package} RECOMMENDS ca-certificates SUGGESTS ccm-tools)

foreach(row IN ITEMS
    "node|initialises Nodes: provider ID, addresses, labels"
    "node-lifecycle|removes Nodes whose machine is gone"
    "service|gives Services of type LoadBalancer a load balancer"
    "route|keeps the cloud's routes to the Nodes' Pod ranges"
    "ipam|gives each Node a range of Pod addresses")
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 id)
  list(GET row 1 text)
  ccm_package(${id} ccm-controller-${id} "Kubernetes cloud-controller-manager: ${id} controller
A plugin of the cloud-controller-manager in the package ccm-host. It
${text}."
    DEPENDS ${abi_package} ENHANCES ccm-host)
endforeach()
foreach(row IN ITEMS
    "digitalocean|DigitalOcean: droplets, load balancers, firewall"
    "openstack|OpenStack: servers, load balancers, routes"
    "static|clusters without a cloud: machines and addresses in a file"
    "sandbox|the cloud of ccm-sandbox, for trying things out")
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 id)
  list(GET row 1 text)
  ccm_package(${id} ccm-provider-${id} "Kubernetes cloud-controller-manager: ${id} provider
A plugin of the cloud-controller-manager in the package ccm-host, for
${text}."
    DEPENDS ${abi_package} ENHANCES ccm-host)
endforeach()
# Each plugin has its libraries inside, so that two of them never meet in different versions.
foreach(id openstack static)
  install(FILES ${PROJECT_SOURCE_DIR}/deploy/debian/ccm-provider-${id}.lintian-overrides
    DESTINATION share/lintian/overrides RENAME ccm-provider-${id} COMPONENT ${id})
endforeach()

ccm_package(tools ccm-tools "Kubernetes cloud-controller-manager: ccmctl
ccmctl shows what a running cloud-controller-manager waits for and why,
prints the roles that it needs, and checks plugins and Services."
  ENHANCES ccm-host)
install(FILES ${PROJECT_SOURCE_DIR}/deploy/debian/ccm-tools.lintian-overrides
  DESTINATION share/lintian/overrides RENAME ccm-tools COMPONENT tools)
ccm_package(ccm-sandbox ccm-sandbox "Kubernetes API server and cloud in memory
A server for demonstrations and tests of cloud-controller-managers: it
keeps Nodes, Services and machines in memory and injects faults.
ccm-demo shows a cloud-controller-manager at work there."
  SECTION devel RECOMMENDS curl jq SUGGESTS ccm ccm-host ccm-provider-sandbox)
ccm_package(sdk ccm-dev "Kubernetes cloud-controller-manager: SDK for plugins
Headers for providers and controllers in C and C++, a testing library
with a fake host, a CMake package and a pkg-config file; crates for
providers in Rust, and a module for those in Go."
  SECTION libdevel SUGGESTS ccm-tools cmake pkg-config)
# Headers and an archive are linked with nothing.
set(CPACK_DEBIAN_SDK_PACKAGE_SHLIBDEPS OFF)

ccm_package(metapackage ccm "Kubernetes cloud-controller-manager with all controllers
This metapackage brings the host, all controllers and ccmctl. It needs
one provider (ccm-provider-*) besides."
  DEPENDS ccm-host ccm-controller-node ccm-controller-node-lifecycle ccm-controller-service
    ccm-controller-route ccm-controller-ipam ccm-tools
  SECTION metapackages SUGGESTS ccm-provider-digitalocean ccm-provider-openstack ccm-provider-static)
set(CPACK_DEBIAN_METAPACKAGE_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_METAPACKAGE_PACKAGE_ARCHITECTURE all)

include(CPack)
