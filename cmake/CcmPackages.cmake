# What packages have besides programs and plugins: manual pages, the service, the documents of each package; and the table of
# packages, which debian/rules reads. deploy/rpm and deploy/alpine install the same components.
find_package(Python3 COMPONENTS Interpreter REQUIRED)

# The date of each part, so that the same sources give the same bytes, and a change of one part changes no other's package.
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/release dates
  OUTPUT_VARIABLE dates ERROR_VARIABLE fault RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "Packages need dates: set SOURCE_DATE_EPOCH, or build in a checkout of git.\n${fault}")
endif()

set(folder ${PROJECT_BINARY_DIR}/debian)
# A row for each package: component, name, part, version, date.
set(table ${folder}/packages)
file(WRITE ${table} "")

# ccm_part_version(OUT PART)
function(ccm_part_version out part)
  file(GLOB manifest ${PROJECT_SOURCE_DIR}/plugins/*/${part}/plugin.json)
  if(manifest)
    ccm_plugin_version(version ${manifest})
  elseif(part STREQUAL "sdk")
    set(version ${CCM_SDK_VERSION})
  elseif(part STREQUAL "tools")
    set(version ${CCM_TOOLS_VERSION})
  elseif(part STREQUAL "ccm-sandbox")
    set(version ${CCM_SANDBOX_VERSION})
  else()
    set(version ${CCM_HOST_VERSION})
  endif()
  set(${out} ${version} PARENT_SCOPE)
endfunction()

# ccm_part_date(OUT PART): seconds since 1970.
function(ccm_part_date out part)
  if(NOT dates MATCHES "(^|\n)${part} ([0-9]+)\n")
    message(FATAL_ERROR "tools/release knows no part ${part}")
  endif()
  set(${out} ${CMAKE_MATCH_2} PARENT_SCOPE)
endfunction()

# ccm_package(COMPONENT NAME PART): debian/control describes it.
function(ccm_package component name part)
  ccm_part_version(version ${part})
  ccm_part_date(date ${part})
  file(APPEND ${table} "${component} ${name} ${part} ${version} ${date}\n")
  # Debian's policy, 12.5 and 12.7. deploy/debian/documents.py writes them.
  install(FILES ${folder}/${component}/copyright ${folder}/${component}/changelog.gz
    DESTINATION share/doc/${name} COMPONENT ${component} OPTIONAL)
endfunction()
ccm_package(host ccm-host host)
foreach(id node node-lifecycle service route ipam)
  ccm_package(${id} ccm-controller-${id} ${id})
endforeach()
foreach(id aws digitalocean openstack static sandbox)
  ccm_package(${id} ccm-provider-${id} ${id})
endforeach()
ccm_package(tools ccm-tools tools)
ccm_package(ccm-sandbox ccm-sandbox ccm-sandbox)
ccm_package(sdk ccm-dev sdk)
ccm_package(debhelper dh-ccm sdk)
ccm_package(metapackage ccm host)

# A manual page from the program's own --help; the host's has the flags of all controllers.
function(ccm_manual program section component summary)
  ccm_part_version(version ${component})
  ccm_part_date(date ${component})
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
# `kubectl ccm` is ccmctl.
file(CREATE_LINK ccmctl.1.gz ${folder}/kubectl-ccm.1.gz SYMBOLIC)
install(FILES ${folder}/kubectl-ccm.1.gz DESTINATION share/man/man1 COMPONENT tools)

# The service. An administrator enables it; his package manager keeps its settings as they were edited.
install(FILES ${PROJECT_SOURCE_DIR}/deploy/systemd/cloud-controller-manager.service
  DESTINATION lib/systemd/system COMPONENT host)
install(FILES ${PROJECT_SOURCE_DIR}/deploy/systemd/cloud-controller-manager.default
  DESTINATION /etc/default RENAME cloud-controller-manager COMPONENT host)
install(DIRECTORY DESTINATION /etc/cloud-controller-manager COMPONENT host)
