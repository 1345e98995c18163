// A kubeconfig read for another context than its current one. Value types, any thread.
#pragma once

#include "kube/config.hpp"

#include <ccm/status.hpp>

#include <string>

namespace ccm::kube {

// As parse_kubeconfig(); `context` names one of the file's contexts, empty = its current-context.
Result<ClientConfig> parse_kubeconfig_context(const std::string& text, const std::string& name,
                                              const std::string& directory,
                                              const std::string& master,
                                              const std::string& context);

}  // namespace ccm::kube
