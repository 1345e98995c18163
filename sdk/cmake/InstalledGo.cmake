# Changes the installed module `ccm`, and the examples that use it, where they differ from those of the source tree.
set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/ccm")

# Go builds C files of a package again when a file in the package's own folder has changed, and knows of no headers
# elsewhere: after an update of the SDK it would go on with objects of the old ones. This file changes with them.
file(GLOB headers ${CMAKE_CURRENT_LIST_DIR}/../include/ccm/abi/*.h)
set(sums "")
foreach(header ${headers})
  file(SHA256 ${header} sum)
  string(APPEND sums ${sum})
endforeach()
string(SHA256 sum "${sums}")
foreach(package go go/ccmtest)
  file(WRITE ${share}/${package}/headers.h "/* The checksum of all headers in ccm/abi: ${sum} */\n")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_PREFIX}/share/ccm/${package}/headers.h)
endforeach()

file(GLOB modules ${share}/examples/*/go.mod)
foreach(module ${modules})
  file(READ ${module} text)
  string(REPLACE "../../sdk/go" "../../go" text "${text}")
  file(WRITE ${module} "${text}")
endforeach()
