// ccm::Http: one HTTP exchange through the host, which owns pooling, TLS, proxy, time limits,
// retries of idempotent calls, the call budget and the metrics.
#pragma once

#include <ccm/abi/http.h>
#include <ccm/ctx.hpp>
#include <ccm/operation.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;  // absolute, http or https
  std::vector<HttpHeader> headers;
  std::string body;
  std::string operation;                 // for metrics and logs, from a small fixed set
  std::string credential;                // names the call budget; empty = the component's own
  std::chrono::milliseconds timeout{0};  // of one try; 0 = 30 s
  uint32_t max_tries = 0;                // 0 = 3 for GET and HEAD, 1 for the rest
  bool read_only = false;                // a POST that changes nothing: sent by standbys too
};

struct HttpResponse {
  uint32_t status_code = 0;
  std::vector<HttpHeader> headers;  // names are lower case
  std::string body;

  // The first header of that lower-case name; empty when there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const {
    for (const HttpHeader& header : headers) {
      if (header.name == name) return header.value;
    }
    return {};
  }
};

class Http {
 public:
  struct Send {
    using Output = Result<HttpResponse>;
    Service<ccm_host_http> host;
    Ctx ctx;
    HttpRequest request;

    Status start(ccm_completion done) const {
      const auto fn = host.get(&ccm_host_http::send);
      if (fn == nullptr) return detail::missing(CCM_HOST_HTTP, "send");
      std::vector<ccm_key_value> headers;
      headers.reserve(request.headers.size());
      for (const HttpHeader& header : request.headers) {
        headers.push_back({c_str(header.name), c_str(header.value)});
      }
      ccm_http_request raw{};
      raw.size = sizeof(raw);
      raw.timeout_ms = static_cast<uint32_t>(request.timeout.count());
      raw.method = c_str(request.method);
      raw.url = c_str(request.url);
      raw.headers = headers.data();
      raw.header_count = headers.size();
      raw.body = c_str(request.body);
      raw.operation = c_str(request.operation);
      raw.credential = c_str(request.credential);
      raw.max_tries = request.max_tries;
      raw.flags = request.read_only ? CCM_HTTP_READ_ONLY : 0;
      fn(host.self(), ctx.get(), &raw, done);
      return {};
    }

    static Output decode(Status status, const void* result) {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "the host gave no HTTP answer");
      const auto& raw = *static_cast<const ccm_http_response*>(result);
      HttpResponse response;
      response.status_code = raw.status_code;
      response.headers.reserve(raw.header_count);
      for (size_t i = 0; i < raw.header_count; ++i) {
        response.headers.push_back(
            {std::string(view(raw.headers[i].key)), std::string(view(raw.headers[i].value))});
      }
      response.body = view(raw.body);
      return response;
    }
  };

  Http() = default;
  explicit Http(Service<ccm_host_http> host) : host_(host) {}

  // One exchange, for co_await in [serial] code. Any HTTP answer is a success, whatever its code.
  // Failures: deadline_exceeded, cancelled, unavailable (no answer), invalid_argument (URL),
  // unauthenticated (the server's certificate), resource_exhausted (answer above 64 MiB).
  [[nodiscard]] Operation<Send> send(Ctx ctx, HttpRequest request) const {
    return Operation<Send>(Send{host_, std::move(ctx), std::move(request)});
  }

  // The same for blocking code. [worker]
  [[nodiscard]] Result<HttpResponse> send_blocking(Ctx ctx, HttpRequest request) const {
    return send(std::move(ctx), std::move(request)).wait();
  }

 private:
  Service<ccm_host_http> host_;
};

}  // namespace ccm
