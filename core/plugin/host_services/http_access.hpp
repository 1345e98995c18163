// The part of the HTTP client that the http service needs.
#pragma once

#include "net/http_client.hpp"

#include <ccm/status.hpp>

#include <functional>
#include <memory>

namespace ccm::plugin {

// One exchange; `done` is called once, on the loop, not inside the call. Loop thread.
using SendHttp = std::function<void(net::Request, std::function<void(Result<net::Response>)> done)>;

// A client with options of its own. Loop thread.
struct OwnHttpClient {
  SendHttp send;
  std::function<Status()> check;                   // of its TLS texts and its proxy
  std::function<void(net::TlsOptions)> set_tls{};  // for new connections
};
using MakeHttpClient = std::function<OwnHttpClient(net::ClientOptions)>;

// The real one. `guard` is put in front of each client's requests.
MakeHttpClient make_http_clients(boost::asio::any_io_executor executor,
                                 std::function<SendHttp(SendHttp)> guard);

// The real one.
SendHttp make_send_http(boost::asio::any_io_executor executor,
                        std::shared_ptr<net::HttpClient> client);

}  // namespace ccm::plugin
