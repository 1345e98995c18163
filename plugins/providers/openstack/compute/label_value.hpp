// Texts of the cloud as values of labels. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace ccm::openstack {

// Each run of characters that a label may not have becomes one "-"; 63 characters at most, the
// first and the last one a letter or digit (OS-154, OS-159).
std::string label_value(std::string_view text);

}  // namespace ccm::openstack
