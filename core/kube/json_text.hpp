// Writing JSON by hand where a library would be too much. Private to core/kube.
#pragma once

#include <string>
#include <string_view>

namespace ccm::kube {

// Appends `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);
std::string json_string(std::string_view text);
// Appends a member with that text to the object at the end of `out`; nothing for an empty text.
void append_json_member(std::string& out, std::string_view key, std::string_view text);

}  // namespace ccm::kube
