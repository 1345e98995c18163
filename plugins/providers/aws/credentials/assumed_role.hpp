// A role on top of other keys: RoleARN of the cloud config, or role_arn of a profile (AWS-16).
#pragma once

#include "source.hpp"
#include "sts.hpp"

#include <ccm/host.hpp>

#include <chrono>
#include <string>

namespace ccm::aws {

struct Role {
  std::string arn;
  std::string session_name{};  // empty = one of our own
  std::string external_id{};
  std::string duration_seconds{};  // as written; empty = STS's
  // The caller may be confused by nobody: x-amz-source-account, taken from the ARN, and
  // x-amz-source-arn when this is not empty. Of the cloud config's role only.
  bool source_headers = false;
  std::string source_arn{};
};

class AssumedRoleKeys : public KeySource {
 public:
  // `base`: the keys that may assume it.
  AssumedRoleKeys(Host& host, StsAccess sts, KeySourcePtr base, Role role);

  // Asks the base for its keys, too.
  Task<Result<Keys>> fetch(Ctx ctx) override;
  [[nodiscard]] std::string description() const override;
  [[nodiscard]] std::chrono::milliseconds pause() const override { return base_->pause(); }

 private:
  Host& host_;
  const StsAccess sts_;
  const KeySourcePtr base_;
  const Role role_;
};

// "123456789012" of "arn:aws:iam::123456789012:role/x"; empty when it is no ARN.
std::string account_of(std::string_view arn);

}  // namespace ccm::aws
