// A role for a service account's token (IRSA): AssumeRoleWithWebIdentity, unsigned (AWS-27). The
// file is read for each renewal, since kubelet rotates it.
#pragma once

#include "source.hpp"
#include "sts.hpp"

#include <ccm/host.hpp>

#include <string>

namespace ccm::aws {

struct WebIdentity {
  std::string token_file;
  std::string role_arn;
  std::string session_name;  // empty = one of our own
};

class WebIdentityKeys : public KeySource {
 public:
  WebIdentityKeys(Host& host, StsAccess sts, WebIdentity identity);

  Task<Result<Keys>> fetch(Ctx ctx) override;
  [[nodiscard]] std::string description() const override;

 private:
  Host& host_;
  const StsAccess sts_;
  const WebIdentity identity_;
};

}  // namespace ccm::aws
