// The cloud's API: one request, and the meaning of its answer. Replace what is different in yours.
#pragma once

#include <ccm/host.hpp>

#include <string>
#include <utility>

namespace @IDENTIFIER@ {

// A failed answer as the host understands it: the class says when it is retried.
inline ccm::Status status_of(const std::string& operation, const ccm::HttpResponse& response) {
  using ccm::Code;
  using ccm::ErrorClass;
  const uint32_t code = response.status_code;
  if (code >= 200 && code < 300) return {};
  std::string message = operation + ": HTTP " + std::to_string(code);
  // Without a class: a wrong path gives a 404, too. The caller knows what it proves.
  if (code == 404) return {Code::not_found, std::move(message)};
  if (code == 401) return {Code::unauthenticated, ErrorClass::auth, std::move(message)};
  if (code == 403) return {Code::permission_denied, ErrorClass::auth, std::move(message)};
  if (code == 402) return {Code::resource_exhausted, ErrorClass::quota, std::move(message)};
  if (code == 409) return {Code::aborted, ErrorClass::conflict, std::move(message)};
  if (code == 422) return {Code::failed_precondition, ErrorClass::invalid_spec, std::move(message)};
  if (code == 429) {
    int64_t seconds = 0;
    const auto header = response.header("retry-after");
    std::from_chars(header.data(), header.data() + header.size(), seconds);
    return ccm::Status(Code::resource_exhausted, ErrorClass::throttled, std::move(message))
        .with_retry_after(std::chrono::seconds(seconds));
  }
  if (code >= 500) return {Code::unavailable, ErrorClass::unavailable, std::move(message)};
  return {Code::unknown, std::move(message)};
}

class Api {
 public:
  explicit Api(ccm::Host& host) : host_(host) {}

  // Each request is named, for metrics and messages. The host repeats a GET by itself.
  ccm::Task<ccm::Result<ccm::Object>> call(ccm::Ctx ctx, std::string operation, std::string method,
                                           std::string path, std::string body = {}) {
    ccm::HttpRequest request;
    request.method = std::move(method);
    request.url = std::string(host_.config.flag("@NAME@-endpoint").value_or("")) + path;
    request.operation = operation;
    request.body = std::move(body);
    // $@VARIABLE@_TOKEN, or the file that $@VARIABLE@_TOKEN_FILE names; read each time, so that it can rotate.
    const std::string token = host_.config.secret("@VARIABLE@_TOKEN").value_or("");
    request.headers = {{"authorization", "Bearer " + token}};
    if (!request.body.empty()) request.headers.push_back({"content-type", "application/json"});
    auto response = co_await host_.http.send(ctx, std::move(request));
    if (!response.ok()) co_return response.status();
    ccm::Status status = status_of(operation, *response);
    if (!status.ok()) co_return status;
    if (response->body.empty()) co_return ccm::Object();
    ccm::Object answer = host_.parse(response->body);
    if (answer) co_return answer;
    co_return ccm::Status(ccm::Code::data_loss, ccm::ErrorClass::unavailable,
                          operation + ": the answer is no JSON");
  }

 private:
  ccm::Host& host_;
};

}  // namespace @IDENTIFIER@
