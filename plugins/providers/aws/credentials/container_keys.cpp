#include "container_keys.hpp"

#include "aws/api/error.hpp"
#include "aws/config/cloud_config.hpp"
#include "json_keys.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kContainerTimeout{5'000};

// Without a port.
std::string_view host_of(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  const std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.rfind(':'));
}

}  // namespace

Status check_container_url(std::string_view url) {
  if (url.starts_with("https://")) return {};
  constexpr std::string_view kAllowed[] = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23",
                                           "[fd00:ec2::23]"};
  if (url.starts_with("http://") && url.find('@') == std::string_view::npos) {
    const std::string_view host = host_of(url);
    const bool loopback =
        host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
    if (loopback || std::find(std::begin(kAllowed), std::end(kAllowed), host) != std::end(kAllowed))
      return {};
  }
  return invalid_configuration(
      "AWS_CONTAINER_CREDENTIALS_FULL_URI: " + one_line(url) +
      " is neither https nor an address of this machine, ECS or EKS Pod Identity");
}

ContainerKeys::ContainerKeys(Host& host, Http http, ContainerEndpoint endpoint)
    : host_(host), http_(std::move(http)), endpoint_(std::move(endpoint)) {}

Task<Result<std::string>> ContainerKeys::token(Ctx ctx) {
  if (endpoint_.token_file.empty()) co_return endpoint_.token;
  auto text = co_await host_.files.read(ctx, endpoint_.token_file, 64 << 10);
  if (!text.ok()) {
    co_return text.status().with_context("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  }
  co_return std::string(trim(*text));
}

Task<Result<Keys>> ContainerKeys::fetch(Ctx ctx) {
  auto token = co_await this->token(ctx);
  if (!token.ok()) co_return token.status();
  HttpRequest request;
  request.url = endpoint_.url;
  request.operation = "ContainerCredentials";
  request.credential = "aws-metadata";
  request.timeout = kContainerTimeout;
  if (!token->empty()) {
    request.headers.push_back({"authorization", *token});
    request.secrets.push_back(*token);
  }
  auto answer = co_await http_.send(ctx, std::move(request));
  if (!answer.ok()) co_return answer.status();
  if (answer->status_code != 200) {
    const bool refused = answer->status_code < 500;
    co_return Status(
        refused ? Code::unauthenticated : Code::unavailable,
        refused ? ErrorClass::auth : ErrorClass::unavailable,
        "it answered " + std::to_string(answer->status_code) + " " + one_line(answer->body))
        .with_reason(refused ? "CloudCredentialRefused" : "CloudUnavailable");
  }
  co_return parse_json_keys(host_.objects, answer->body);
}

}  // namespace ccm::aws
