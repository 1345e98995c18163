#include "answer.hpp"

#include "json_answer.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace ccm::openstack {
namespace {

using std::chrono::seconds;

constexpr size_t kLongestErrorText = 500;
constexpr int64_t kLongestPauseSeconds = 3600;
// Changes of a load balancer take about as long (OS-444).
constexpr std::chrono::milliseconds kBusyPause{1'000};

struct ErrorText {
  std::string type;  // Neutron's name of the error
  std::string message;
};

// Octavia's: the driver of the load balancer's provider cannot do what the request asks for. A
// proxy's page has another form.
bool driver_refuses(const HttpResponse& response) {
  if (response.status_code != 501) return false;
  const auto document = read_error_body(response.body);
  return document.is_object() && document.contains("faultstring");
}

// One line, bounded: a proxy's HTML page is no message for an Event.
std::string on_one_line(std::string_view whole) {
  std::string text(whole.substr(0, kLongestErrorText));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text;
}

// A 404 that a service says itself; a proxy's, or that of a wrong URL, has another form.
bool is_a_services_404(const HttpResponse& response) {
  if (says_not_found(response)) return true;
  const auto document = read_error_body(response.body);
  return document.is_object() && (document.contains("error") || document.contains("title"));
}

// {"error": {...}}, {"NeutronError": {...}}, {"itemNotFound": {...}}, {"faultstring": ...},
// {"title", "description"}: each service has its own.
ErrorText read_error(const std::string& body) {
  const auto document = read_error_body(body);
  if (!document.is_object()) return {{}, on_one_line(body)};
  ErrorText error;
  for (const char* name : {"faultstring", "description", "message"}) {
    if (error.message.empty()) error.message = text_or_empty(document, name);
  }
  for (const auto& [name, value] : document.items()) {
    if (!error.message.empty() || !value.is_object()) continue;
    error = {text_or_empty(value, "type"), text_or_empty(value, "message")};
  }
  error.message = on_one_line(error.message);
  return error;
}

std::string request_id_of(const HttpResponse& response) {
  for (const char* name : {"x-openstack-request-id", "x-compute-request-id"}) {
    if (const auto id = response.header(name); !id.empty()) return on_one_line(id);
  }
  return {};
}

bool has_word(std::string text, std::string_view word) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return text.find(word) != std::string::npos;
}

// Retry-After in seconds; 0 when it is absent or a date.
seconds pause_of(const HttpResponse& response) {
  const auto text = response.header("retry-after");
  int64_t value = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || stop != text.data() + text.size()) return seconds(0);
  return seconds(std::clamp<int64_t>(value, 0, kLongestPauseSeconds));
}

Status quota_reached(std::string message) {
  return Status(Code::resource_exhausted, ErrorClass::quota, std::move(message))
      .with_reason("CloudQuotaReached");
}

// Neutron's errors about limits whose texts do not all say "quota".
bool is_limit(std::string_view type) {
  constexpr std::array<std::string_view, 4> kLimits = {
      "RoutesExhausted", "ExternalIpAddressExhausted", "AllowedAddressPairExhausted",
      "IpAddressGenerationFailure"};
  return std::find(kLimits.begin(), kLimits.end(), type) != kLimits.end();
}

Status conflict(const ErrorText& error, std::string message) {
  if (is_limit(error.type) || has_word(error.type + error.message, "quota"))
    return quota_reached(std::move(message));
  // OS-383: both mean that an earlier change is still being worked on.
  if (has_word(error.message, "immutable") || has_word(error.message, "invalid state pending")) {
    return Status(Code::aborted, ErrorClass::waiting, std::move(message))
        .with_reason("CloudBusy")
        .with_retry_after(kBusyPause);
  }
  return Status(Code::aborted, ErrorClass::conflict, std::move(message))
      .with_reason("CloudConflict");
}

Status classified(const HttpResponse& response, const ErrorText& error, std::string message) {
  switch (response.status_code) {
    case 400:
      if (is_limit(error.type)) return quota_reached(std::move(message));
      break;
    case 401:
      return Status(Code::unauthenticated, ErrorClass::auth, std::move(message))
          .with_reason("CloudCredentialRefused");
    case 403:
      if (has_word(error.message, "quota")) return quota_reached(std::move(message));
      return Status(Code::permission_denied, ErrorClass::auth, std::move(message))
          .with_reason("CloudPermissionDenied");
    case 404:
      if (!is_a_services_404(response)) {
        return Status(Code::unavailable, ErrorClass::unavailable, std::move(message))
            .with_reason("CloudUnavailable");
      }
      return Status(Code::not_found, ErrorClass::not_found, std::move(message))
          .with_reason("CloudNotFound");
    case 409:
      return conflict(error, std::move(message));
    case 412:
      return Status(Code::aborted, ErrorClass::conflict, std::move(message))
          .with_reason("CloudConflict");
    case 413:
      if (has_word(error.message, "quota")) return quota_reached(std::move(message));
      [[fallthrough]];
    case 429:
      return Status(Code::resource_exhausted, ErrorClass::throttled, std::move(message))
          .with_reason("CloudThrottled")
          .with_retry_after(pause_of(response));
    default:
      break;
  }
  const bool down = response.status_code >= 500 || response.status_code == 408;
  if (down && !driver_refuses(response)) {
    return Status(Code::unavailable, ErrorClass::unavailable, std::move(message))
        .with_reason("CloudUnavailable")
        .with_retry_after(pause_of(response));
  }
  if (response.status_code >= 400) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message))
        .with_reason("CloudRefused");
  }
  return Status(Code::unknown, ErrorClass::unavailable, std::move(message))
      .with_reason("UnexpectedCloudAnswer");
}

}  // namespace

Status status_of(std::string_view operation, const HttpResponse& response) {
  if (response.status_code >= 200 && response.status_code < 300) return {};
  const ErrorText error = read_error(response.body);
  std::string message(operation);
  message += ": OpenStack answered " + std::to_string(response.status_code);
  const std::string id = request_id_of(response);
  if (!id.empty()) message += " (request \"" + id + "\")";
  if (!error.message.empty()) message += " " + error.message;
  return classified(response, error, std::move(message));
}

Status bad_answer(std::string_view what) {
  return Status(Code::data_loss, ErrorClass::unavailable, "OpenStack's answer " + std::string(what))
      .with_reason("BadAnswer");
}

bool says_not_found(const HttpResponse& response) {
  if (response.status_code != 404) return false;
  const auto document = read_error_body(response.body);
  return document.is_object() &&
         (document.contains("itemNotFound") || document.contains("NeutronError") ||
          document.contains("faultstring"));
}

}  // namespace ccm::openstack
