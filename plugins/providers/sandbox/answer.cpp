#include "answer.hpp"

#include <ccm/json.hpp>

#include <nlohmann/json.hpp>

#include <charconv>
#include <chrono>
#include <string>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::Status;

struct ErrorBody {
  std::string code;
  std::string message;
  std::string request_id;
};

std::string text(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_string() ? place->get<std::string>() : std::string();
}

ErrorBody read_body(const ccm::HttpResponse& response) {
  ErrorBody body;
  const auto document = ccm::read_json(response.body);
  if (document.ok() && document->is_object() && document->contains("error") &&
      document->at("error").is_object()) {
    const auto& error = document->at("error");
    body = {text(error, "code"), text(error, "message"), text(error, "request_id")};
  }
  if (body.request_id.empty()) body.request_id = response.header("x-request-id");
  return body;
}

// Whole seconds; the cloud sends no dates. 0 = not said.
std::chrono::milliseconds retry_after(const ccm::HttpResponse& response) {
  const std::string_view header = response.header("retry-after");
  int64_t seconds = 0;
  const auto [end, fault] = std::from_chars(header.data(), header.data() + header.size(), seconds);
  const bool whole = fault == std::errc() && end == header.data() + header.size();
  if (!whole || seconds < 0 || seconds > 86'400) return std::chrono::milliseconds(0);
  return std::chrono::seconds(seconds);
}

Status classify(uint32_t status_code, const std::string& error_code, std::string message) {
  switch (status_code) {
    case 401:
      return Status(Code::unauthenticated, ErrorClass::auth, std::move(message))
          .with_reason("CloudCredentialRefused");
    case 403:
      if (error_code == "quota") {
        return Status(Code::resource_exhausted, ErrorClass::quota, std::move(message))
            .with_reason("CloudQuotaExceeded");
      }
      return Status(Code::permission_denied, ErrorClass::auth, std::move(message))
          .with_reason("CloudPermissionDenied");
    case 404:
      return Status(Code::not_found, ErrorClass::not_found, std::move(message))
          .with_reason("NotFoundInCloud");
    case 429:
      return Status(Code::resource_exhausted, ErrorClass::throttled, std::move(message))
          .with_reason("CloudThrottled");
    case 422:
      return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message))
          .with_reason("CloudRefusedRequest");
    default:
      break;
  }
  if (status_code >= 500) {
    return Status(Code::unavailable, ErrorClass::unavailable, std::move(message))
        .with_reason("CloudUnavailable");
  }
  return Status(Code::unknown, std::move(message)).with_reason("UnexpectedCloudAnswer");
}

}  // namespace

Status status_of(std::string_view operation, const ccm::HttpResponse& response) {
  if (response.status_code >= 200 && response.status_code < 300) return {};
  const ErrorBody body = read_body(response);
  std::string message(operation);
  message += ": the cloud answered " + std::to_string(response.status_code);
  if (!body.message.empty()) message += ", " + body.message.substr(0, 200);
  if (!body.request_id.empty()) message += " (request " + body.request_id.substr(0, 100) + ")";
  return classify(response.status_code, body.code, std::move(message))
      .with_retry_after(retry_after(response));
}

}  // namespace sandbox
