#include "answer.hpp"

#include "json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kLongestText = 500;
constexpr int64_t kLongestPause = 3600;  // the hourly window (DO-312)

struct ErrorBody {
  std::string id;
  std::string message;
  std::string request_id;
};

// One line, bounded: a proxy's HTML page is no message for an Event.
std::string one_line(std::string_view whole) {
  std::string text(whole.substr(0, kLongestText));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

ErrorBody read_body(const HttpResponse& response) {
  ErrorBody body;
  const auto document = read_error_body(response.body);
  if (document.is_object()) {
    body = {text_or_empty(document, "id"), text_or_empty(document, "message"),
            text_or_empty(document, "request_id")};
    if (body.message.empty()) body.message = text_or_empty(document, "error");  // DO-324
  } else {
    body.message = response.body.substr(0, kLongestText);
  }
  if (body.request_id.empty()) body.request_id = response.header("x-request-id");
  body.message = one_line(body.message);
  body.request_id = one_line(body.request_id);
  return body;
}

int64_t number(std::string_view digits) {
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, value);
  return fault == std::errc() && stop == end && value > 0 ? value : 0;
}

milliseconds told_pause(const HttpResponse& response) {
  return seconds(std::min(number(response.header("retry-after")), kLongestPause));
}

// Retry-After comes only with the limit per minute (DO-322); the hourly window has its reset time
// in every answer (DO-321), so that counts only where the limit was the reason.
milliseconds throttled_pause(const HttpResponse& response, milliseconds now) {
  const milliseconds told = told_pause(response);
  if (told > milliseconds(0)) return told;
  const int64_t reset = number(response.header("ratelimit-reset"));
  const int64_t left = reset - std::chrono::duration_cast<seconds>(now).count();
  return seconds(reset > 0 ? std::clamp<int64_t>(left, 1, kLongestPause) : 0);
}

std::string in_lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return text;
}

// "You have reached the limit of load balancers", "this will exceed your droplet limit".
bool is_limit_of_account(const ErrorBody& body) {
  const std::string text = in_lower_case(body.message);
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  return says("limit") && (says("reached") || says("will exceed") || says("would exceed"));
}

// The thing that the account has no more of. The API's words do not always name it.
std::string_view limit_of(std::string_view operation) {
  if (operation.find("Firewall") != std::string_view::npos) return "firewalls";
  if (operation.find("Tag") != std::string_view::npos) return "tags";
  return "load balancers";
}

Status limit_reached(std::string_view operation, std::string message) {
  message += " (the account's limit of " + std::string(limit_of(operation)) +
             "; ask DigitalOcean to raise it)";
  return Status(Code::resource_exhausted, ErrorClass::quota, std::move(message))
      .with_reason("CloudQuotaReached");
}

Status classify(const HttpResponse& response, const ErrorBody& body, std::string message,
                milliseconds now) {
  switch (response.status_code) {
    case 401:
      return Status(Code::unauthenticated, ErrorClass::auth, std::move(message))
          .with_reason("CloudCredentialRefused");
    case 403:
      // The API's text for an earlier change that is still in progress.
      if (body.message.find("previous actions") != std::string::npos) {
        return Status(Code::unavailable, ErrorClass::unavailable, std::move(message))
            .with_reason("CloudBusy");
      }
      return Status(Code::permission_denied, ErrorClass::auth, std::move(message))
          .with_reason("CloudPermissionDenied");
    case 404:
      return Status(Code::not_found, ErrorClass::not_found, std::move(message))
          .with_reason("CloudNotFound");
    case 409:
    case 412:
      return Status(Code::aborted, ErrorClass::conflict, std::move(message))
          .with_reason("CloudConflict");
    case 429:
      return Status(Code::resource_exhausted, ErrorClass::throttled, std::move(message))
          .with_reason("CloudThrottled")
          .with_retry_after(throttled_pause(response, now));
    default:
      break;
  }
  if (response.status_code >= 500 || response.status_code == 408) {
    return Status(Code::unavailable, ErrorClass::unavailable, std::move(message))
        .with_reason("CloudUnavailable")
        .with_retry_after(told_pause(response));
  }
  if (response.status_code >= 400) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message))
        .with_reason("CloudRefused");
  }
  return Status(Code::unknown, ErrorClass::unavailable, std::move(message))
      .with_reason("UnexpectedCloudAnswer");
}

}  // namespace

Status status_of(std::string_view operation, const HttpResponse& response, milliseconds now) {
  if (response.status_code >= 200 && response.status_code < 300) return {};
  const ErrorBody body = read_body(response);
  const bool refused = response.status_code == 403 || response.status_code == 422;
  std::string message(operation);
  message += ": DigitalOcean answered " + std::to_string(response.status_code);
  if (!body.request_id.empty()) message += " (request \"" + body.request_id + "\")";
  if (!body.message.empty()) message += " " + body.message;
  if (refused && is_limit_of_account(body)) return limit_reached(operation, std::move(message));
  return classify(response, body, std::move(message), now);
}

Status bad_answer(std::string_view what) {
  return Status(Code::data_loss, ErrorClass::unavailable,
                "DigitalOcean's answer " + std::string(what))
      .with_reason("BadAnswer");
}

}  // namespace ccm::digitalocean
