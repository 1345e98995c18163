// The cloud's API: one request, and the meaning of its answer. Replace what is different in yours.
#pragma once

#include <ccm/host.hpp>
#include <ccm/http_status.hpp>
#include <ccm/json_limits.hpp>

#include <string>
#include <utility>

namespace @IDENTIFIER@ {

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
    // The class says when the host tries again.
    ccm::Status status = ccm::http_failure(*response, operation);
    if (response->status_code == 404) {
      // Without a class: a wrong path gives a 404, too. The caller knows what it proves.
      status = ccm::Status(ccm::Code::not_found, std::string(status.message()));
    }
    if (!status.ok()) co_return status;
    if (response->body.empty()) co_return ccm::Object();
    const ccm::Status fits = ccm::check_json(response->body);
    if (!fits.ok()) {
      co_return ccm::Status(fits.code(), ccm::ErrorClass::unavailable,
                            operation + ": the answer " + std::string(fits.message()));
    }
    ccm::Object answer = host_.parse(response->body);
    if (answer) co_return answer;
    co_return ccm::Status(ccm::Code::data_loss, ccm::ErrorClass::unavailable,
                          operation + ": the answer is no JSON");
  }

 private:
  ccm::Host& host_;
};

}  // namespace @IDENTIFIER@
