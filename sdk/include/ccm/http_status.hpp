// What the status of an HTTP answer means: a Status with code, class, reason and the pause that the
// cloud asks for. ccm/c/http.h, Go's HTTPFailure and Rust's HttpResponse::http_failure have the
// table, too. [any-thread]
#pragma once

#include <ccm/http.hpp>
#include <ccm/http_date.hpp>
#include <ccm/status.hpp>
#include <ccm/utf8.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {

// The most of a cloud's text that a message repeats, in bytes.
inline constexpr std::size_t kLongestAnswerText = 500;
// The longest pause that an answer may ask for.
inline constexpr std::chrono::seconds kLongestRetryAfter{3600};

// Somebody's text for a message: its front, at most `limit` bytes and not cut within a character,
// with a blank for each control character. A proxy's page has many lines, an Event has one.
inline std::string one_line(std::string_view text, std::size_t limit = kLongestAnswerText) {
  std::string line(utf8_front(text, limit));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return line;
}

// The time since 1970, by this machine's clock.
inline std::chrono::milliseconds http_clock() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

// The pause of a Retry-After, in seconds or as a date of RFC 9110: at most kLongestRetryAfter,
// also where the number fits no integer. 0 for all else: a negative number, a date that has
// passed, garbage, nothing. `now`: since 1970.
inline std::chrono::milliseconds retry_after(std::string_view text,
                                             std::chrono::milliseconds now = http_clock()) {
  return parse_retry_after(text, now, kLongestRetryAfter).value_or(std::chrono::milliseconds(0));
}

inline std::chrono::milliseconds retry_after(const HttpResponse& response,
                                             std::chrono::milliseconds now = http_clock()) {
  return retry_after(response.header("retry-after"), now);
}

// Whose word an answer is.
enum class HttpOrigin {
  unknown,  // perhaps that of a proxy, or of a wrong path: a 404 proves nothing
  cloud,    // the cloud's API: a 404 is its word that the thing is not there
};

namespace detail {

struct HttpMeaning {
  Code code;
  ErrorClass error_class;
  const char* reason;
};

// The table of http_failure().
constexpr HttpMeaning http_meaning(uint32_t status, bool cloud) {
  switch (status) {
    case 401:
      return HttpMeaning{Code::unauthenticated, ErrorClass::auth, "CloudCredentialRefused"};
    case 402:
      return HttpMeaning{Code::resource_exhausted, ErrorClass::quota, "CloudQuotaReached"};
    case 403:
      return HttpMeaning{Code::permission_denied, ErrorClass::auth, "CloudPermissionDenied"};
    case 404:
      if (cloud) return HttpMeaning{Code::not_found, ErrorClass::not_found, "CloudNotFound"};
      break;
    case 409:
    case 412:
      return HttpMeaning{Code::aborted, ErrorClass::conflict, "CloudConflict"};
    case 429:
      return HttpMeaning{Code::resource_exhausted, ErrorClass::throttled, "CloudThrottled"};
    case 501:
      return HttpMeaning{Code::unimplemented, ErrorClass::unsupported, "CloudUnsupported"};
    default:
      break;
  }
  if (status >= 500 || status == 408) {
    return HttpMeaning{Code::unavailable, ErrorClass::unavailable, "CloudUnavailable"};
  }
  if (status == 400 || status == 422 || (cloud && status > 400)) {
    return HttpMeaning{cloud ? Code::invalid_argument : Code::failed_precondition,
                       ErrorClass::invalid_spec, "CloudRefused"};
  }
  return HttpMeaning{Code::unknown, cloud ? ErrorClass::unavailable : ErrorClass::none,
                     "UnexpectedCloudAnswer"};
}

}  // namespace detail

// The failure that a status stands for, without Retry-After; for an API that says what it means
// elsewhere, with the status that another would have given.
//   401       unauthenticated,     auth          CloudCredentialRefused
//   402       resource_exhausted,  quota         CloudQuotaReached
//   403       permission_denied,   auth          CloudPermissionDenied
//   404       not_found            not_found     CloudNotFound, when the cloud says so
//   409, 412  aborted,             conflict      CloudConflict
//   429       resource_exhausted,  throttled     CloudThrottled
//   400, 422  failed_precondition, invalid_spec  CloudRefused
//   501       unimplemented,       unsupported   CloudUnsupported
//   408, 5xx  unavailable,         unavailable   CloudUnavailable
//   others    unknown,             none          UnexpectedCloudAnswer
// What the cloud itself refuses is invalid_argument, with any other 4xx too, and what it answers
// else is of class unavailable. Code invalid_argument from initialize() ends the host.
inline Status http_failure(uint32_t status, std::string message,
                           HttpOrigin origin = HttpOrigin::unknown) {
  const detail::HttpMeaning meaning = detail::http_meaning(status, origin == HttpOrigin::cloud);
  return Status(meaning.code, meaning.error_class, std::move(message)).with_reason(meaning.reason);
}

// ok for 200 to 299; else the failure of the answer's status, with its Retry-After. `operation`
// begins the message: "ListMachines: HTTP 503".
inline Status http_failure(const HttpResponse& response, std::string_view operation,
                           HttpOrigin origin = HttpOrigin::unknown,
                           std::chrono::milliseconds now = http_clock()) {
  if (response.status_code >= 200 && response.status_code < 300) return {};
  std::string message(operation);
  message += ": HTTP " + std::to_string(response.status_code);
  return http_failure(response.status_code, std::move(message), origin)
      .with_retry_after(retry_after(response, now));
}

}  // namespace ccm
