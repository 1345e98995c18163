// Keys and values of labels that the API server takes: one that it refuses would keep a Node
// from being initialised. Any thread.
#pragma once

#include <string_view>

namespace ccm::static_provider {

// At most 63 letters, digits, "-", "_" and ".", the first and last one a letter or digit; or empty.
bool is_label_value(std::string_view text);
// "serial" or "rack.example.com/serial".
bool is_label_key(std::string_view text);

}  // namespace ccm::static_provider
