// The texts that the API server accepts as label keys and values. Any thread.
#pragma once

#include <string_view>

namespace ccm::node {

// At most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends; may be empty.
bool is_label_value(std::string_view text);

// A name of that form, not empty, after an optional DNS subdomain and a slash.
bool is_label_key(std::string_view text);

}  // namespace ccm::node
