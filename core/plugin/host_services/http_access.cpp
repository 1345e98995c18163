#include "plugin/host_services/http_access.hpp"

#include "plugin/host_services/spawn_call.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

boost::asio::awaitable<Result<net::Response>> exchange(std::shared_ptr<net::HttpClient> client,
                                                       net::Request request) {
  auto response = co_await client->send(std::move(request));
  co_return response;
}

}  // namespace

MakeHttpClient make_http_clients(boost::asio::any_io_executor executor,
                                 std::function<SendHttp(SendHttp)> guard) {
  return [executor, guard](net::ClientOptions options) {
    const auto client = std::make_shared<net::HttpClient>(executor, std::move(options));
    return OwnHttpClient{guard(make_send_http(executor, client)),
                         [client] { return client->check(); },
                         [client](net::TlsOptions tls) { client->set_tls(std::move(tls)); }};
  };
}

SendHttp make_send_http(boost::asio::any_io_executor executor,
                        std::shared_ptr<net::HttpClient> client) {
  return [executor, client](net::Request request, std::function<void(Result<net::Response>)> done) {
    spawn_call<net::Response>(executor, exchange(client, std::move(request)), std::move(done));
  };
}

}  // namespace ccm::plugin
