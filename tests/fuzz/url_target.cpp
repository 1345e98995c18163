// URLs, proxies and NO_PROXY (net/url.hpp, net/proxy.hpp), and the head of a request to
// them (net/http_exchange.hpp).
// Input, line by line: a URL, a proxy, a NO_PROXY list, a header's value.
// Properties: what is parsed and put together is parsed to the same; no message or redacted text
// shows a password; a request's head holds the lines that were meant and no more.
#include "fuzz.hpp"
#include "net/http_exchange.hpp"
#include "net/proxy.hpp"
#include "net/url.hpp"

#include <algorithm>

namespace ccm::fuzz {
namespace {

using net::Url;

void check_url(const Url& url, std::string_view text) {
  require(!url.host.empty() && url.port != 0, "a URL has host and port");
  require(url.target.starts_with('/'), "a target begins with a slash");
  const auto again = net::parse_url(url.origin() + url.target);
  require(again.ok(), "what is put together can be parsed");
  require_equal(again->host, url.host, "the same host");
  require_equal(again->target, url.target, "the same target");
  require(again->port == url.port && again->scheme == url.scheme, "the same port and scheme");
  const std::string redacted = net::redact_url(text);
  require(redacted.size() <= text.size(), "redacting only removes");
  if (!url.has_user) return;
  const std::string_view authority = std::string_view(redacted).substr(redacted.find("://") + 3);
  require(authority.substr(0, authority.find('/')).find('@') == std::string_view::npos,
          "a redacted URL has no user part");
}

// Neither end of the password shows when the URL is a bad one, whatever is in between.
void check_secret(std::string_view scheme, std::string_view inner) {
  const std::string text = std::string(scheme) + "://user:pq7" + std::string(inner) + "7qp@host:x";
  const auto url = net::parse_url(text);
  if (url.ok()) return;  // an unescaped / made "user" the host
  for (const std::string& shown : {url.status().message(), net::redact_url(text)}) {
    require(shown.find("pq7") == std::string::npos, "no password in a message");
    require(shown.find("7qp") == std::string::npos, "nor its end");
  }
}

void check_head(const Url& url, std::string_view value) {
  net::Request request;
  request.headers.push_back({"X-Value", std::string(value)});
  const auto head = net::request_head(request, url, "agent", false, {});
  if (!head.ok()) return;
  require(head->find("\r\n\r\n") == head->size() - 4, "a head ends once");
  require(std::count(head->begin(), head->end(), '\n') == 5, "line, host, agent, value, end");
  require(std::count(head->begin(), head->end(), '\r') == 5, "and no other line end");
}

void check_proxies(const Url& url, const std::string& proxy, const std::string& no_proxy) {
  const auto environment = [&](const char* name) -> const char* {
    const std::string_view wanted(name);
    if (wanted == "HTTP_PROXY" || wanted == "HTTPS_PROXY") return proxy.c_str();
    return wanted == "NO_PROXY" ? no_proxy.c_str() : nullptr;
  };
  const auto settings = net::ProxySettings::make("", true, environment);
  if (settings.ok()) {
    const auto chosen = settings->proxy_for(url);
    if (chosen) {
      require(!chosen->host.empty(), "a proxy has a host");
      require(!net::NoProxy(no_proxy).matches(url.host, url.port), "NO_PROXY is obeyed");
      require(net::basic_authorization(*chosen).empty() == !chosen->has_user, "authorization");
    }
  } else {
    require(!settings.status().message().empty(), "a failure says what is wrong");
  }
  (void)net::ProxySettings::make(proxy, false, environment);
  require(net::NoProxy("*").matches(url.host, url.port), "* matches all");
  const bool plain = url.host.front() != '.' && url.host.find('%') == std::string::npos;
  if (plain) {
    require(net::NoProxy(url.host).matches(url.host, url.port), "a host matches itself");
    require(net::NoProxy(no_proxy + "," + url.host).matches(url.host, url.port), "also in a list");
  }
}

}  // namespace

void url_target(std::string_view bytes) {
  Input input(bytes);
  const std::string_view text = input.line();
  // Variables of the environment end at a NUL.
  const std::string proxy(std::string(input.line()).c_str());
  const std::string no_proxy(std::string(input.line()).c_str());
  const std::string_view value = input.line();
  const auto url = net::parse_url(text);
  (void)net::redact_url(text);
  check_secret("http", value);
  check_secret("ftp", value);
  if (!url.ok()) {
    require(!url.status().message().empty(), "a failure says what is wrong");
    return;
  }
  check_url(*url, text);
  check_head(*url, value);
  check_proxies(*url, proxy, no_proxy);
}

}  // namespace ccm::fuzz
