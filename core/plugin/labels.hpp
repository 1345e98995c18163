// The names of outcomes in metrics and on pages. Any thread.
#pragma once

#include <ccm/status.hpp>

namespace ccm::plugin {

// gRPC's names in lower case; "unknown" for any other number, so that labels stay few.
const char* code_label(Code code);

}  // namespace ccm::plugin
