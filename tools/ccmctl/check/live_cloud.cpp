#include "live_cloud.hpp"

#include "net/coroutines.hpp"
#include "net/http_client.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <boost/asio/io_context.hpp>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ccm::ctl {
namespace {

using Answer = testing::FakeHttp::Answer;

boost::asio::awaitable<void> exchange(net::HttpClient& client, net::Request request,
                                      std::optional<Result<net::Response>>& outcome) {
  auto answer = co_await client.send(std::move(request));
  outcome.emplace(std::move(answer));
  client.close_idle();
}

std::string text_of(const std::string& text, const std::string& path) {
  if (!text.empty() || path.empty()) return text;
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

net::ClientOptions options_of(const HttpClientOptions& client) {
  net::ClientOptions options;
  options.user_agent = "ccmctl";
  options.proxy_url = client.proxy;
  options.proxy_from_environment = client.proxy.empty() && !client.no_proxy;
  options.tls.ca_pem = text_of(client.ca_pem, client.ca_file);
  options.tls.certificate_pem = text_of(client.certificate_pem, client.certificate_file);
  options.tls.private_key_pem = text_of(client.key_pem, client.key_file);
  options.tls.server_name = client.server_name;
  options.tls.server_fingerprint = client.fingerprint;
  options.tls.insecure_skip_verify = client.insecure;
  return options;
}

}  // namespace

Answer send_to_cloud(const HttpRequest& request, const HttpClientOptions& options) {
  boost::asio::io_context loop;
  net::HttpClient client(loop.get_executor(), options_of(options));
  net::Request raw;
  raw.method = request.method;
  raw.url = request.url;
  raw.body = request.body;
  for (const HttpHeader& header : request.headers)
    raw.headers.push_back({header.name, header.value});
  std::optional<Result<net::Response>> outcome;
  net::spawn(loop.get_executor(), exchange(client, std::move(raw), outcome));
  loop.run();
  Answer answer;
  if (!outcome->ok()) {
    answer.outcome = outcome->status();
    return answer;
  }
  HttpResponse response{(*outcome)->status, {}, (*outcome)->body};
  for (const net::Header& header : (*outcome)->headers) {
    response.headers.push_back({lower_case(header.name), header.value});
  }
  answer.outcome = std::move(response);
  return answer;
}

void take_secrets(testing::FakeConfig& config) {
  constexpr std::string_view kFile = "_FILE";
  std::map<std::string, std::string> files;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    const std::string value(text.substr(equals + 1));
    config.set_secret(name, value);
    if (name.ends_with(kFile)) files[name.substr(0, name.size() - kFile.size())] = value;
  }
  for (const auto& [name, path] : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (file.is_open()) config.set_secret(name, std::string(trim(text)));
  }
}

}  // namespace ccm::ctl
