// Which of the sources gives the keys: decided once, by what is set, in the order of AWS's SDKs
// (AWS-27, AWS-28). A source that fails is not followed by the next.
#pragma once

#include "aws/api/imds.hpp"
#include "aws/config/environment.hpp"
#include "aws/config/profiles.hpp"
#include "container_keys.hpp"
#include "source.hpp"
#include "sts.hpp"

#include <ccm/host.hpp>
#include <ccm/http.hpp>
#include <ccm/status.hpp>

#include <string>

namespace ccm::aws {

// What the sources need; all of it outlives them.
struct ChainParts {
  Host& host;
  const Environment& environment;
  const Profiles& profiles;
  Imds& imds;
  StsAccess sts;
  Http direct;  // without proxy, for addresses beside this machine
};

// AWS_PROFILE, else AWS_DEFAULT_PROFILE, else "default".
[[nodiscard]] std::string profile_name(const Environment& environment);

// Failures: invalid_argument, one line, for a setting that is wrong, a profile that is not there,
// and for SSO, which no manager can use.
Result<KeySourcePtr> find_key_source(const ChainParts& parts);

}  // namespace ccm::aws
