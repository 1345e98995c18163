// Calls to the Security Token Service that give keys (AWS-16, AWS-27). [serial]
#pragma once

#include "aws/api/clock.hpp"
#include "aws/api/params.hpp"
#include "aws/config/endpoints.hpp"
#include "keys.hpp"

#include <ccm/host.hpp>
#include <ccm/http.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <vector>

namespace ccm::aws {

// How STS is reached.
struct StsAccess {
  Http http;
  Endpoint endpoint;
  std::string user_agent;
  Clock* clock;  // all calls to AWS have one
};

// Keys of the answer to `action` (AssumeRole, AssumeRoleWithWebIdentity). `signed_with`: nullptr =
// unsigned. `headers` are signed, too. When the machine's clock is wrong, signed once more with
// AWS's time. The keys end by the machine's clock, however wrong. Failures:
// those of status_of() and of the host's http;
// data_loss for an answer without keys.
Task<Result<Keys>> ask_sts(Host& host, Ctx ctx, const StsAccess& sts, std::string action,
                           Params params, const Keys* signed_with, std::vector<HttpHeader> headers);

// "ccm-" and a number that differs for each process: of sessions that nobody named.
std::string session_name(Host& host);

}  // namespace ccm::aws
