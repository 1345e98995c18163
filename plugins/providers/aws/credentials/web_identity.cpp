#include "web_identity.hpp"

#include <ccm/trim.hpp>

#include <utility>

namespace ccm::aws {

WebIdentityKeys::WebIdentityKeys(Host& host, StsAccess sts, WebIdentity identity)
    : host_(host), sts_(std::move(sts)), identity_(std::move(identity)) {}

std::string WebIdentityKeys::description() const {
  return "web identity token " + identity_.token_file + ", role " + identity_.role_arn;
}

Task<Result<Keys>> WebIdentityKeys::fetch(Ctx ctx) {
  auto token = co_await host_.files.read(ctx, identity_.token_file, 64 << 10);
  if (!token.ok()) co_return token.status().with_context("AWS_WEB_IDENTITY_TOKEN_FILE");
  Params params;
  params.set("RoleArn", identity_.role_arn)
      .set("RoleSessionName",
           identity_.session_name.empty() ? session_name(host_) : identity_.session_name)
      .set("WebIdentityToken", trim(*token));
  std::vector<HttpHeader> headers;
  auto keys = co_await ask_sts(host_, ctx, sts_, "AssumeRoleWithWebIdentity", std::move(params),
                               nullptr, std::move(headers));
  co_return keys;
}

}  // namespace ccm::aws
