#include "instance_keys.hpp"

#include "aws/api/error.hpp"
#include "json_keys.hpp"

#include <ccm/percent_encode.hpp>
#include <ccm/trim.hpp>

#include <string>

namespace ccm::aws {

Task<Result<Keys>> InstanceKeys::fetch(Ctx ctx) {
  const std::string folder = "latest/meta-data/iam/security-credentials/";
  auto roles = co_await imds_.get(ctx, folder);
  if (!roles.ok()) co_return roles.status();
  const std::string role(trim(roles->substr(0, roles->find('\n'))));
  if (role.empty()) {
    co_return Status(Code::unauthenticated, ErrorClass::auth, "this instance has no role")
        .with_reason("CloudCredentialRefused");
  }
  auto text = co_await imds_.get(ctx, folder + percent_encode(role));
  if (!text.ok()) co_return text.status();
  auto keys = parse_json_keys(host_.objects, *text);
  if (!keys.ok()) co_return keys.status().with_context("role " + one_line(role));
  co_return keys;
}

}  // namespace ccm::aws
