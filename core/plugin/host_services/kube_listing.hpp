// Reads all objects of a resource from the API server, page by page, for one operation of a
// component. Loop thread.
#pragma once

#include "plugin/host_services/host_operation.hpp"
#include "plugin/host_services/kube_access.hpp"

#include <memory>
#include <string>

namespace ccm::plugin {

// The call ends with the ctx: neither a retry nor a wait for the rate limit outlives the
// operation, to overwrite later what the next one wrote.
kube::CallOptions call_options(const HostOperation& operation);

// Ends `running` with a ccm_kube_list, or with the first page's failure.
void list_objects(std::shared_ptr<ObjectApi> api, std::shared_ptr<HostOperation> running,
                  kube::Resource resource, std::string namespace_name, kube::ListOptions options);

}  // namespace ccm::plugin
