#include "error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace ccm::aws {
namespace {

constexpr size_t kLongestCode = 100;
constexpr std::chrono::milliseconds kLongestPause = std::chrono::minutes(5);
// Limits of an error's document: a proxy's page is not worth more.
constexpr XmlLimits kErrorLimits{64u << 10, 100, 8, 100};

// A word, fit for a reason: what else stands there is somebody's text.
std::string code_of(std::string_view text) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  };
  const bool fits = text.size() <= kLongestCode && std::all_of(text.begin(), text.end(), is_part);
  return fits ? std::string(text) : std::string();
}

template <size_t N>
bool is_one_of(std::string_view code, const std::array<std::string_view, N>& codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// AWS-35.
bool is_throttling(std::string_view code) {
  static constexpr std::array<std::string_view, 14> kCodes = {
      "Throttling",
      "ThrottlingException",
      "ThrottledException",
      "RequestThrottledException",
      "TooManyRequestsException",
      "ProvisionedThroughputExceededException",
      "TransactionInProgressException",
      "RequestLimitExceeded",
      "BandwidthLimitExceeded",
      "RequestThrottled",
      "SlowDown",
      "PriorRequestNotComplete",
      "EC2ThrottledException",
      "Client.RequestLimitExceeded"};
  return is_one_of(code, kCodes);
}

bool is_about_keys(std::string_view code) {
  static constexpr std::array<std::string_view, 10> kCodes = {
      "AuthFailure",          "InvalidClientTokenId",        "SignatureDoesNotMatch",
      "ExpiredToken",         "ExpiredTokenException",       "RequestExpired",
      "RequestTimeTooSkewed", "UnrecognizedClientException", "MissingAuthenticationToken",
      "IncompleteSignature"};
  return is_one_of(code, kCodes);
}

bool is_forbidden(std::string_view code) {
  static constexpr std::array<std::string_view, 4> kCodes = {
      "UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "OptInRequired"};
  return is_one_of(code, kCodes);
}

// Limits of the account, or of one thing in it, that somebody can raise or make room in.
bool is_quota(std::string_view code) {
  return code.ends_with("LimitExceeded") || code.starts_with("TooMany") ||
         code.ends_with("LimitExceededException") || code == "InsufficientFreeAddressesInSubnet" ||
         code == "InvalidSubnet.InsufficientFreeAddresses" || code == "InsufficientCapacity" ||
         code == "InsufficientInstanceCapacity";
}

bool is_absence(std::string_view code) {
  return code.ends_with(".NotFound") || code.ends_with("NotFound") ||
         code.ends_with("NotFoundException") || code == "InvalidGroup.InUse.NotFound";
}

bool is_conflict(std::string_view code) {
  static constexpr std::array<std::string_view, 6> kCodes = {
      "DependencyViolation",    "ResourceInUse",         "IncorrectState",
      "IncorrectInstanceState", "OperationNotPermitted", "InvalidGroup.InUse"};
  return is_one_of(code, kCodes) || code.ends_with(".InUse");
}

// The status that says it: EC2 has 503 for its rate, ELB has 400, and most that AWS refuses is 400
// with a code.
uint32_t plain_status(uint32_t http, const std::string& code) {
  if (is_throttling(code) || http == 429) return 429;
  // With RequestTimeout the connection was idle before the request was there, with a 400.
  if (http >= 500 || code.starts_with("RequestTimeout")) return 503;
  if (is_about_keys(code) || http == 401) return 401;
  if (is_forbidden(code)) return 403;
  if (is_quota(code)) return 402;
  if (is_absence(code)) return 404;
  if (is_conflict(code)) return 409;
  // Without a code it is not AWS that speaks: a proxy, or a wrong address.
  if (code.empty()) return 503;
  return http >= 400 ? 400 : http;
}

Status classified(const HttpResponse& response, const std::string& code, std::string message) {
  const uint32_t plain = plain_status(response.status_code, code);
  Status status = http_failure(plain, std::move(message), HttpOrigin::cloud);
  if (!code.empty()) status.with_reason(code);
  // AWS's APIs leave Retry-After out, and what stands before them may send it.
  if (plain == 429) {
    status.with_retry_after(std::clamp(retry_after(response), kThrottlePause, kLongestPause));
  }
  return status;
}

}  // namespace

ApiError read_error(std::string_view body) {
  const auto document = XmlDocument::parse(body, {}, kErrorLimits);
  if (!document.ok()) return {{}, one_line(body), {}};
  // EC2: <Response><Errors><Error>, <RequestID>; the others: <ErrorResponse><Error>, <RequestId>.
  const XmlElement root = document->root();
  const XmlElement errors = root.child("Errors");
  const XmlElement error = (errors ? errors : root).child("Error");
  const std::string id = root.text("RequestId");
  return {code_of(error.text("Code")), one_line(error.text("Message")),
          one_line(id.empty() ? root.text("RequestID") : id)};
}

Status status_of(std::string_view action, const HttpResponse& response) {
  if (response.status_code >= 200 && response.status_code < 300) return {};
  const ApiError error = read_error(response.body);
  std::string message(action);
  message += ": AWS answered " + std::to_string(response.status_code);
  if (!error.code.empty()) message += " " + error.code;
  if (!error.message.empty()) message += ": " + error.message;
  if (!error.request_id.empty()) message += " (request " + error.request_id + ")";
  return classified(response, error.code, std::move(message));
}

Status bad_answer(std::string_view what) {
  return Status(Code::data_loss, ErrorClass::unavailable, "AWS's answer " + std::string(what))
      .with_reason("BadAnswer");
}

bool has_code(const Status& status, ApiName code) { return status.reason() == code.text(); }

}  // namespace ccm::aws
