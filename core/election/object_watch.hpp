// A watch on one object of an API server.
#pragma once

#include "kube/client.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace ccm::election {

// The next step after an event: true = go on, false = the watch has ended as it was meant to.
using EventText = std::function<Result<bool>(std::string_view event)>;

// Watches the object of that name from `resource_version` on. Ok after an orderly end, of which
// `told` is one; otherwise why it broke, or what `told` found. Home thread: the client's.
boost::asio::awaitable<Status> watch_object(kube::Client client, kube::Resource resource,
                                            std::string namespace_name, std::string name,
                                            std::string resource_version, EventText told);

}  // namespace ccm::election
