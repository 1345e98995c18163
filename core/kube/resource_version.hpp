// Which of two resourceVersions is older. Any thread.
#pragma once

#include <string_view>

namespace ccm::kube {

// Both are of one resource, and `version` is the older one (API-13). False when one of them is no
// decimal number without a leading zero: then nothing is known.
bool older_version(std::string_view version, std::string_view other);

}  // namespace ccm::kube
