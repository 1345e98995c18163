#include "answer.hpp"

#include "json_answer.hpp"

#include <ccm/http_status.hpp>
#include <ccm/lower_case.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct ErrorBody {
  std::string id;
  std::string message;
  std::string request_id;
};

ErrorBody read_body(const HttpResponse& response) {
  ErrorBody body;
  const auto document = read_error_body(response.body);
  if (document.is_object()) {
    body = {text_or_empty(document, "id"), text_or_empty(document, "message"),
            text_or_empty(document, "request_id")};
    if (body.message.empty()) body.message = text_or_empty(document, "error");  // DO-324
  } else {
    body.message = response.body.substr(0, kLongestAnswerText);
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

// Retry-After comes only with the limit per minute (DO-322); the hourly window has its reset time
// in every answer (DO-321), so that counts only where the limit was the reason.
milliseconds throttled_pause(const HttpResponse& response, milliseconds now) {
  const milliseconds told = retry_after(response, now);
  if (told > milliseconds(0)) return told;
  const int64_t reset = number(response.header("ratelimit-reset"));
  const int64_t left = reset - std::chrono::duration_cast<seconds>(now).count();
  // The window is as long as the longest pause (DO-312).
  return seconds(reset > 0 ? std::clamp<int64_t>(left, 1, kLongestRetryAfter.count()) : 0);
}

// "You have reached the limit of load balancers", "this will exceed your droplet limit".
bool is_limit_of_account(const ErrorBody& body) {
  const std::string text = lower_case(body.message);
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
  return http_failure(402, std::move(message), HttpOrigin::cloud);
}

Status classify(const HttpResponse& response, const ErrorBody& body, std::string message,
                milliseconds now) {
  const uint32_t code = response.status_code;
  // The API's text for an earlier change that is still in progress.
  if (code == 403 && body.message.find("previous actions") != std::string::npos) {
    return http_failure(503, std::move(message), HttpOrigin::cloud).with_reason("CloudBusy");
  }
  // The API has no 501: a proxy's, which may go.
  return http_failure(code == 501 ? 503 : code, std::move(message), HttpOrigin::cloud)
      .with_retry_after(code == 429 ? throttled_pause(response, now) : retry_after(response, now));
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
