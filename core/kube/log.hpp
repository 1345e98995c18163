// Log lines of the client. One file includes spdlog, which is slow to compile. Any thread.
#pragma once

#include <string>

namespace ccm::kube {

void log_debug(const std::string& message);
void log_info(const std::string& message);
void log_warning(const std::string& message);

}  // namespace ccm::kube
