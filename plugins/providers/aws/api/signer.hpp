// AWS Signature Version 4, in the Authorization header (AWS-31).
#pragma once

#include "aws/config/endpoints.hpp"
#include "aws/credentials/keys.hpp"

#include <ccm/crypto.hpp>
#include <ccm/http.hpp>
#include <ccm/status.hpp>

#include <chrono>

namespace ccm::aws {

// Signs a request that is complete: method, URL without query, all headers but those that this
// adds (x-amz-date, x-amz-security-token, authorization), body. Host, content-type and all x-amz-
// headers are signed. `now`: the time of AWS, since 1970. The session token is named in `secrets`.
// Failure: that of the host's crypto.
Status sign(const Crypto& crypto, const Keys& keys, const Endpoint& endpoint,
            std::chrono::milliseconds now, HttpRequest& request);

}  // namespace ccm::aws
