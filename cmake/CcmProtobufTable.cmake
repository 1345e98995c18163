# ccm_protobuf_table(TEXT SOURCE) writes the table of protobuf_table.hpp in C++ from that of tools/protobuf_table.
function(ccm_protobuf_table text source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${text})
  file(READ ${text} table)
  string(REGEX MATCHALL "\nkind [^\n]+" kinds "${table}")
  string(REGEX REPLACE "\n(#|kind )[^\n]*" "" messages "\n${table}")
  set(field "\n  ([0-9]+) ([^ ]+)")
  string(REGEX REPLACE "${field} ([A-Z][^ ]*) ([a-z]+) ([a-z]+)"
    "\n    Field{\"\\2\", \\1, Kind::message, Shape::\\4, Omit::\\5, &k\\3}," messages "${messages}")
  string(REGEX REPLACE "${field} ([^ ]+) ([a-z]+) ([a-z]+)"
    "\n    Field{\"\\2\", \\1, Kind::\\3, Shape::\\4, Omit::\\5, nullptr}," messages "${messages}")
  string(REGEX REPLACE "\nmessage ([^\n]+)((\n    [^\n]+)+)"
    "\nconstexpr Field k\\1Fields[] = {\\2\n};\nconstexpr Message k\\1 = {\"\\1\", k\\1Fields};" messages "${messages}")
  string(REGEX REPLACE "\nkind ([^ ]+) ([^\n;]+);?" "\n    NamedMessage{\"\\1\", \"\\2\", &k\\2}," kinds "${kinds}")
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
// Written by CcmProtobufTable.cmake from protobuf_table.txt.
#include "kube/protobuf_table.hpp"

namespace ccm::kube::protobuf {
namespace {
@messages@
constexpr NamedMessage kKinds[] = {@kinds@
};

}  // namespace

std::span<const NamedMessage> kinds() { return kKinds; }
const Message& status_message() { return kStatus; }
const Message& list_meta_message() { return kListMeta; }

}  // namespace ccm::kube::protobuf
]])
endfunction()
