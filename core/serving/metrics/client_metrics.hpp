// The rest_client_* metrics: requests of this process to API servers (MET-26..30). Any thread: the
// Lease has a client on another thread.
#pragma once

#include "kube/client.hpp"

#include <functional>
#include <string>

namespace prometheus {
class Registry;
}

namespace ccm::serving {

// The label "code" of a request to an API server, as upstream has it: "200", or "<error>" for the
// status 0, which is no answer.
std::string code_of(unsigned http_status);

// For kube::ClientOptions::observer. `server`: the URL of the API server, whose host is a label.
// `registry` must outlive every client that has it.
std::function<void(const kube::CallRecord&)> client_metrics(prometheus::Registry& registry,
                                                            const std::string& server);

}  // namespace ccm::serving
