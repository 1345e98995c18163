// How AWS says no, as a Status.
#pragma once

#include "call.hpp"

#include <ccm/http.hpp>
#include <ccm/http_status.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace ccm::aws {

// <Error><Code>, <Message> and the request's id, one line each and bounded.
struct ApiError {
  std::string code;
  std::string message;
  std::string request_id;
};

inline constexpr std::chrono::milliseconds kThrottlePause{1'000};

// Reads the body of an answer that is no 2xx; a body that is no XML is the message, on one line.
ApiError read_error(std::string_view body);

// ok for 2xx. Else a Status whose reason is AWS's code ("InvalidGroup.Duplicate"; "CloudRefused",
// "CloudUnavailable" where the answer has none), whose message begins with `action`, and whose
// class is
//   throttled     of the codes of AWS-35, and 429: with a retry_after, kThrottlePause unless the
//                 answer says more
//   auth          UnauthorizedOperation, AccessDenied, keys that are refused (AWS-132)
//   quota         ...LimitExceeded, TooMany...: a limit of the account
//   not_found     ....NotFound, LoadBalancerNotFound, ...: the thing itself
//   conflict      DependencyViolation, ResourceInUse, IncorrectState, ...InUse: later it may work
//   unavailable   5xx, RequestTimeout...
//   invalid_spec  all other 4xx: the request cannot work as it is
Status status_of(std::string_view action, const HttpResponse& response);

// An answer of 2xx that cannot be read: "has no DNSName". data_loss, reason "BadAnswer".
Status bad_answer(std::string_view what);

// Whether AWS gave that code.
[[nodiscard]] bool has_code(const Status& status, ApiName code);
// The thing is not there: of a deletion this is success.
[[nodiscard]] inline bool is_not_found(const Status& status) {
  return status.error_class() == ErrorClass::not_found;
}

}  // namespace ccm::aws
