// The part of the HTTP client that the http service needs, and the credentials of plugins'
// requests: where they are, and where they must not appear.
#pragma once

#include "net/http_client.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

// One exchange; `done` is called once, on the loop, not inside the call. Loop thread.
using SendHttp = std::function<void(net::Request, std::function<void(Result<net::Response>)> done)>;

// A client with options of its own. Loop thread.
struct OwnHttpClient {
  SendHttp send;
  std::function<Status()> check;                   // looks at its TLS texts and its proxy
  std::function<void(net::TlsOptions)> set_tls{};  // for new connections
};
using MakeHttpClient = std::function<OwnHttpClient(net::ClientOptions)>;

// The real one. `guard` is put in front of each client's requests.
MakeHttpClient make_http_clients(boost::asio::any_io_executor executor,
                                 std::function<SendHttp(SendHttp)> guard);

// The real one.
SendHttp make_send_http(boost::asio::any_io_executor executor,
                        std::shared_ptr<net::HttpClient> client);

// The credentials of plugins' requests, and where they must not appear.

// Whether a header or a parameter of that name carries a credential: Authorization, Cookie,
// X-Auth-Token, X-Subject-Token, X-Api-Key, ...
bool names_credential(std::string_view name);

// The secrets of a header with a credential: its value without the scheme, and the password of
// HTTP's basic authentication. Nothing for other headers.
std::vector<std::string> secrets_of_header(const net::Header& header);

// The secrets of all headers, and the values of the URL's parameters with such names. Short ones
// are left out.
std::vector<std::string> secrets_of(const net::Request& request);

// Passes requests on to `send`. A request that carries a credential over plain HTTP beyond this
// machine and its link-local addresses fails with invalid_argument, reason "PlaintextCredential",
// and nothing of it is sent; with `allowed` it is sent, and a log line says so once for each
// server. A credential is a header with such a name (Authorization, Cookie, X-Auth-Token, ...) or a
// parameter of the URL. Loop thread.
SendHttp guard_credentials(boost::asio::any_io_executor loop, SendHttp send, bool allowed);

}  // namespace ccm::plugin
