#include "assumed_role.hpp"

#include <utility>
#include <vector>

namespace ccm::aws {
namespace {

std::vector<HttpHeader> source_headers(const Role& role) {
  std::vector<HttpHeader> headers;
  if (!role.source_headers) return headers;
  const std::string account = account_of(role.arn);
  if (!account.empty()) headers.push_back({"x-amz-source-account", account});
  if (!role.source_arn.empty()) headers.push_back({"x-amz-source-arn", role.source_arn});
  return headers;
}

}  // namespace

AssumedRoleKeys::AssumedRoleKeys(Host& host, StsAccess sts, KeySourcePtr base, Role role)
    : host_(host), sts_(std::move(sts)), base_(std::move(base)), role_(std::move(role)) {}

std::string AssumedRoleKeys::description() const {
  return "role " + role_.arn + " by " + base_->description();
}

Task<Result<Keys>> AssumedRoleKeys::fetch(Ctx ctx) {
  auto base = co_await base_->fetch(ctx);
  if (!base.ok()) co_return base.status().with_context(base_->description());
  Params params;
  params.set("RoleArn", role_.arn)
      .set("RoleSessionName",
           role_.session_name.empty() ? session_name(host_) : role_.session_name);
  if (!role_.external_id.empty()) params.set("ExternalId", role_.external_id);
  if (!role_.duration_seconds.empty()) params.set("DurationSeconds", role_.duration_seconds);
  std::vector<HttpHeader> headers = source_headers(role_);
  const Keys* signed_with = &*base;
  auto keys = co_await ask_sts(host_, ctx, sts_, "AssumeRole", std::move(params), signed_with,
                               std::move(headers));
  co_return keys;
}

std::string account_of(std::string_view arn) {
  if (!arn.starts_with("arn:")) return {};
  for (int colons = 0; colons < 4; ++colons) {
    const size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return {};
    arn.remove_prefix(colon + 1);
  }
  return std::string(arn.substr(0, arn.find(':')));
}

}  // namespace ccm::aws
