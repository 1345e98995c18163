// User and password in URLs (RFC 3986, section 3.2.1). Any thread.
#pragma once

#include <string>

namespace ccm {

// The value with user and password removed from the URLs in it.
std::string without_user_info(const std::string& value);

}  // namespace ccm
