#include "plugin/host_services/http_access.hpp"

#include "base/log.hpp"
#include "net/url.hpp"
#include "plugin/await_callback.hpp"

#include <ccm/base64.hpp>
#include <ccm/lower_case.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace ccm::plugin {

namespace {

boost::asio::awaitable<Result<net::Response>> exchange(std::shared_ptr<net::HttpClient> client,
                                                       net::Request request) {
  co_return co_await client->send(std::move(request));
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

namespace {

// Where a listing goes on, or which request is repeated: no credential, though it says "token".
bool names_place(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower == "pagetoken" || lower == "page_token" || lower == "nexttoken" ||
         lower == "next_token" || lower == "clienttoken";
}

// The values of the query's parameters with a name of a secret.
std::vector<std::string_view> secrets_in_query(std::string_view target) {
  std::vector<std::string_view> values;
  const auto question = target.find('?');
  if (question == std::string_view::npos) return values;
  std::string_view rest = target.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = pair.substr(0, equals);
    if (names_credential(name) && !names_place(name)) {
      values.push_back(pair.substr(equals + 1));
    }
  }
  return values;
}

bool carries_credential(const net::Request& request, const net::Url& url) {
  return !secrets_in_query(url.target).empty() ||
         std::any_of(request.headers.begin(), request.headers.end(),
                     [](const net::Header& header) { return names_credential(header.name); });
}

Status refusal(const net::Url& url) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "the credential would cross the network in the clear to " + url.origin() +
                    "; give an https:// address, or allow it with "
                    "--allow-plaintext-cloud-credentials")
      .with_reason("PlaintextCredential");
}

}  // namespace

bool names_credential(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kWords{
      "authorization", "token", "cookie", "api-key", "apikey", "api_key", "secret", "password"};
  const std::string lower = lower_case(name);
  return std::ranges::any_of(
      kWords, [&lower](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::vector<std::string> secrets_of_header(const net::Header& header) {
  if (!names_credential(header.name)) return {};
  const std::size_t space = header.value.find(' ');
  const bool plain = space == std::string::npos;
  std::vector<std::string> secrets{plain ? header.value : header.value.substr(space + 1)};
  const std::optional<std::string> pair = base64_decode(secrets.front());
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  if (colon != std::string::npos) secrets.push_back(pair->substr(colon + 1));
  return secrets;
}

std::vector<std::string> secrets_of(const net::Request& request) {
  constexpr std::size_t kShortest = 8;
  std::vector<std::string> secrets;
  for (const net::Header& header : request.headers) {
    for (std::string& secret : secrets_of_header(header)) secrets.push_back(std::move(secret));
  }
  const std::string_view url = std::string_view(request.url).substr(0, request.url.find('#'));
  for (const std::string_view value : secrets_in_query(url)) {
    secrets.emplace_back(value);
    secrets.push_back(net::percent_decoded(value));
  }
  std::erase_if(secrets, [](const std::string& secret) { return secret.size() < kShortest; });
  return secrets;
}

SendHttp guard_credentials(boost::asio::any_io_executor loop, SendHttp send, bool allowed) {
  const auto logged = std::make_shared<std::set<std::string>>();
  return [loop = std::move(loop), send = std::move(send), allowed, logged](
             net::Request request, std::function<void(Result<net::Response>)> done) {
    const Result<net::Url> url = net::parse_url(request.url);
    const bool seen = url.ok() && url->scheme == "http" && !net::is_loopback(url->host) &&
                      !net::is_link_local(url->host) && carries_credential(request, *url);
    if (seen && !allowed) {
      boost::asio::post(loop, [done = std::move(done), why = refusal(*url)] { done(why); });
      return;
    }
    if (seen && logged->insert(url->origin()).second) {
      log::warning("A credential is sent without encryption", {{"server", url->origin()}});
    }
    send(std::move(request), std::move(done));
  };
}

}  // namespace ccm::plugin
