// The part of the HTTP client that the http service needs.
#pragma once

#include "net/http_client.hpp"

#include <ccm/status.hpp>

#include <functional>
#include <memory>

namespace ccm::plugin {

// One exchange; `done` is called once, on the loop, not inside the call. Loop thread.
using SendHttp = std::function<void(net::Request, std::function<void(Result<net::Response>)> done)>;

// The real one.
SendHttp make_send_http(boost::asio::any_io_executor executor,
                        std::shared_ptr<net::HttpClient> client);

}  // namespace ccm::plugin
