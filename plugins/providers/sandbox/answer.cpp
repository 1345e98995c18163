#include "answer.hpp"

#include <ccm/http_status.hpp>
#include <ccm/json_answer.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace sandbox {
namespace {

struct ErrorBody {
  std::string code;
  std::string message;
  std::string request_id;
};

ErrorBody read_body(const ccm::HttpResponse& response) {
  ErrorBody body;
  const auto document = ccm::read_error_body(response.body);
  if (document.is_object() && document.contains("error")) {
    const auto& error = document.at("error");
    body = {ccm::text_or_empty(error, "code"), ccm::text_or_empty(error, "message"),
            ccm::text_or_empty(error, "request_id")};
  }
  if (body.request_id.empty()) body.request_id = response.header("x-request-id");
  return body;
}

// The status that says it: the cloud's limits are a 403 with a code, and it has no 501.
uint32_t plain_status(uint32_t status, const std::string& error_code) {
  if (status == 403 && error_code == "quota") return 402;
  return status == 501 ? 503 : status;
}

}  // namespace

ccm::Status status_of(std::string_view operation, const ccm::HttpResponse& response) {
  if (response.status_code >= 200 && response.status_code < 300) return {};
  const ErrorBody body = read_body(response);
  std::string message(operation);
  message += ": the cloud answered " + std::to_string(response.status_code);
  if (!body.message.empty()) message += ", " + ccm::one_line(body.message, 200);
  if (!body.request_id.empty()) message += " (request " + ccm::one_line(body.request_id, 100) + ")";
  return ccm::http_failure(plain_status(response.status_code, body.code), std::move(message),
                           ccm::HttpOrigin::cloud)
      .with_retry_after(ccm::retry_after(response));
}

}  // namespace sandbox
