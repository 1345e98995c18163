#include "answer.hpp"

#include "json_answer.hpp"

#include <ccm/http_status.hpp>
#include <ccm/lower_case.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace ccm::openstack {
namespace {

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
  if (!document.is_object()) return {{}, one_line(body)};
  ErrorText error;
  for (const char* name : {"faultstring", "description", "message"}) {
    if (error.message.empty()) error.message = text_or_empty(document, name);
  }
  for (const auto& [name, value] : document.items()) {
    if (!error.message.empty() || !value.is_object()) continue;
    error = {text_or_empty(value, "type"), text_or_empty(value, "message")};
  }
  error.message = one_line(error.message);
  return error;
}

std::string request_id_of(const HttpResponse& response) {
  for (const char* name : {"x-openstack-request-id", "x-compute-request-id"}) {
    if (const auto id = response.header(name); !id.empty()) return one_line(id);
  }
  return {};
}

bool has_word(const std::string& text, std::string_view word) {
  return lower_case(text).find(word) != std::string::npos;
}

// Neutron's errors about limits whose texts do not all say "quota".
bool is_limit(std::string_view type) {
  constexpr std::array<std::string_view, 4> kLimits = {
      "RoutesExhausted", "ExternalIpAddressExhausted", "AllowedAddressPairExhausted",
      "IpAddressGenerationFailure"};
  return std::find(kLimits.begin(), kLimits.end(), type) != kLimits.end();
}

// The status that says it, where a service uses another one, or where a proxy answers.
uint32_t plain_status(const HttpResponse& response, const ErrorText& error) {
  constexpr uint32_t kQuota = 402;
  constexpr uint32_t kDown = 503;
  const uint32_t status = response.status_code;
  const bool limit = is_limit(error.type);
  switch (status) {
    case 400:
      return limit ? kQuota : status;
    case 403:
      return has_word(error.message, "quota") ? kQuota : status;
    case 404:
      return is_a_services_404(response) ? status : kDown;
    case 409:
      return limit || has_word(error.type + error.message, "quota") ? kQuota : status;
    case 413:
      return has_word(error.message, "quota") ? kQuota : 429;
    case 501:
      return driver_refuses(response) ? 400 : kDown;
    default:
      return status;
  }
}

// OS-383: both texts mean that an earlier change is still being worked on.
bool is_busy(const ErrorText& error) {
  return has_word(error.message, "immutable") || has_word(error.message, "invalid state pending");
}

Status classified(const HttpResponse& response, const ErrorText& error, std::string message) {
  const uint32_t status = plain_status(response, error);
  if (status == 409 && is_busy(error)) {
    return Status(Code::aborted, ErrorClass::waiting, std::move(message))
        .with_reason("CloudBusy")
        .with_retry_after(kBusyPause);
  }
  return http_failure(status, std::move(message), HttpOrigin::cloud)
      .with_retry_after(retry_after(response));
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
