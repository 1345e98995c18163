// Small helpers for messages about plugin files.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ccm::plugin {

// "a, b, c", or the first three and how many more.
std::string shortened_list(const std::vector<std::string>& items);

// "a, b, c"; "none" when empty.
std::string list(const std::vector<std::string>& items);

// "root", else "user 1000": names would need NSS, which a static or minimal image may lack.
std::string user_name(uid_t uid);

}  // namespace ccm::plugin
