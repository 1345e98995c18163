// Changes --v of the running process (HOST-98).
#pragma once

#include "serving/message.hpp"

namespace ccm::serving {

// PUT with a decimal number. The change is logged with the name of the user.
Answer verbosity_page(const Request& request);

}  // namespace ccm::serving
