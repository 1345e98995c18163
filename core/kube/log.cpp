#include "kube/log.hpp"

#include <spdlog/spdlog.h>

namespace ccm::kube {

void log_debug(const std::string& message) { spdlog::debug(spdlog::string_view_t(message)); }
void log_info(const std::string& message) { spdlog::info(spdlog::string_view_t(message)); }
void log_warning(const std::string& message) { spdlog::warn(spdlog::string_view_t(message)); }

}  // namespace ccm::kube
