// Nodes that no manager has initialised, read from the API server: while the provider cannot log
// in, there are no caches. Loop thread.
#pragma once

#include "kube/client.hpp"
#include "kube/events.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ccm::app {

// The first `most` of them; fewer when the API server does not answer.
boost::asio::awaitable<std::vector<kube::ObjectReference>> list_waiting_nodes(kube::Client client,
                                                                              std::size_t most);

// Those of one page of a list of Nodes, up to `most` in all, and the token of the next page.
std::string add_waiting_nodes(const std::string& page, std::size_t most,
                              std::vector<kube::ObjectReference>& nodes);

}  // namespace ccm::app
