// ccm::Http: one HTTP exchange through the host, which owns pooling, TLS, proxy, time limits,
// retries of idempotent calls, the call budget and the metrics. ccm::HttpClients: clients with a
// CA, certificate or proxy of their own. ccm/abi/http.h and ccm/abi/http_client.h have the rules.
#pragma once

#include <ccm/abi/http.h>
#include <ccm/abi/http_client.h>
#include <ccm/ctx.hpp>
#include <ccm/detail/c_arrays.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
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
  std::string credential;                // names the call budget; empty = the plugin's only one
  std::chrono::milliseconds timeout{0};  // of one try; 0 = 30 s
  uint32_t max_tries = 0;                // 0 = 3 for GET and HEAD and if idempotent, 1 for the rest
  bool read_only = false;                // a POST that changes nothing: sent by standbys too
  bool idempotent = false;               // doing it twice is doing it once: retried like a GET
  std::vector<std::string> secrets;      // further texts to redact, such as a password in the body
  std::string replaces;                  // of a write, for a dry run: what it takes away, in words
};

// A dry run recorded the write instead of sending it; those that do not need its answer may follow.
inline bool is_dry_run(const Status& status) { return status.reason() == CCM_REASON_DRY_RUN; }

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
    std::shared_ptr<const void> client;  // stays open
    uint32_t abi_minor = 0;              // of the host

    Status start(ccm_completion done) const {
      std::vector<ccm_key_value> headers;
      headers.reserve(request.headers.size());
      for (const HttpHeader& header : request.headers) {
        headers.push_back({c_str(header.name), c_str(header.value)});
      }
      const std::vector<ccm_str> secrets = detail::strings_to_c(request.secrets);
      ccm_http_request raw = sized<ccm_http_request>();
      raw.flags = detail::bit_if(request.read_only, CCM_HTTP_READ_ONLY) |
                  detail::bit_if(request.idempotent, CCM_HTTP_IDEMPOTENT);
      raw.method = c_str(request.method);
      raw.url = c_str(request.url);
      raw.headers = headers.data();
      raw.header_count = headers.size();
      raw.body = c_str(request.body);
      raw.operation = c_str(request.operation);
      raw.credential = c_str(request.credential);
      raw.timeout_ms = static_cast<uint32_t>(request.timeout.count());
      raw.max_tries = request.max_tries;
      raw.secrets = secrets.data();
      raw.secret_count = secrets.size();
      if (abi_minor >= 1) raw.replaces = c_str(request.replaces);
      return detail::begin_call(host, &ccm_host_http::send, CCM_HOST_HTTP, "send", ctx, raw, done);
    }

    static Output decode(Status status, const void* result) {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "the host gave no HTTP answer");
      const ccm_http_response raw = known(static_cast<const ccm_http_response*>(result));
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
  // `abi_minor`: of the host. `client` keeps what the service belongs to open.
  explicit Http(Service<ccm_host_http> host, uint32_t abi_minor,
                std::shared_ptr<const void> client = nullptr)
      : host_(host), client_(std::move(client)), abi_minor_(abi_minor) {}

  // One exchange, for co_await in [serial] code. Any HTTP answer is a success, whatever its code.
  // Failures: deadline_exceeded, cancelled, unavailable (no answer), invalid_argument (URL),
  // unauthenticated (the server's certificate), resource_exhausted (answer above the limit).
  [[nodiscard]] Operation<Send> send(Ctx ctx, HttpRequest request) const {
    return Operation<Send>(Send{host_, std::move(ctx), std::move(request), client_, abi_minor_});
  }

  // As send(), for blocking code. [worker]
  [[nodiscard]] Result<HttpResponse> send_blocking(Ctx ctx, HttpRequest request) const {
    return send(std::move(ctx), std::move(request)).wait();
  }

 private:
  Service<ccm_host_http> host_;
  std::shared_ptr<const void> client_;
  uint32_t abi_minor_ = 0;
};

// How a client of its own differs from the shared one. Of a text and a file for the same, the text
// counts; files are absolute paths and read again when they change.
struct HttpClientOptions {
  std::string name;  // for logs
  std::string ca_pem;
  std::string ca_file;
  std::string certificate_pem;  // our own, with its chain
  std::string certificate_file;
  std::string key_pem;  // of our certificate
  std::string key_file;
  std::string server_name;  // empty = the URL's host
  std::string fingerprint;  // SHA-256 of the one certificate that is trusted, in hexadecimal digits
  std::string proxy;        // empty = as the environment says
  bool no_proxy = false;    // none, whatever the environment says
  bool insecure = false;    // the server is not checked: only when the user asks for it
  uint32_t max_connections = 0;      // to one origin; 0 = 32
  int64_t body_limit = 0;            // of an answer; 0 = 64 MiB, which is also the most
  std::vector<std::string> secrets;  // further texts to redact
};

class HttpClients {
  using Host = Service<ccm_host_http_client>;

  // Closes a client when nobody uses it any more.
  struct Closer {
    Closer(Host the_host, uint64_t the_number) : host(the_host), number(the_number) {}
    Closer(const Closer&) = delete;
    Closer& operator=(const Closer&) = delete;
    ~Closer() {
      const auto close = host.get(&ccm_host_http_client::close);
      if (close != nullptr) close(host.self(), number);
    }
    Host host;
    uint64_t number;
  };

 public:
  struct Open {
    using Output = Result<Http>;
    Host host;
    Ctx ctx;
    HttpClientOptions options;
    uint32_t abi_minor = 0;

    Status start(ccm_completion done) const {
      const std::vector<ccm_str> secrets = detail::strings_to_c(options.secrets);
      ccm_http_client_options raw = sized<ccm_http_client_options>();
      raw.flags = detail::bit_if(options.insecure, CCM_HTTP_INSECURE) |
                  detail::bit_if(options.no_proxy, CCM_HTTP_NO_PROXY);
      raw.name = c_str(options.name);
      raw.ca_pem = c_str(options.ca_pem);
      raw.ca_file = c_str(options.ca_file);
      raw.certificate_pem = c_str(options.certificate_pem);
      raw.certificate_file = c_str(options.certificate_file);
      raw.key_pem = c_str(options.key_pem);
      raw.key_file = c_str(options.key_file);
      raw.server_name = c_str(options.server_name);
      raw.fingerprint = c_str(options.fingerprint);
      raw.proxy = c_str(options.proxy);
      raw.max_connections = options.max_connections;
      raw.body_limit = options.body_limit;
      raw.secrets = secrets.data();
      raw.secret_count = secrets.size();
      return detail::begin_call(host, &ccm_host_http_client::open, CCM_HOST_HTTP_CLIENT, "open",
                                ctx, raw, done);
    }
    Output decode(Status status, const void* result) const {
      if (!status.ok()) return status;
      if (result == nullptr) return Status(Code::internal, "the host gave no HTTP client");
      const ccm_http_client raw = known(static_cast<const ccm_http_client*>(result));
      const Service<ccm_host_http> http(static_cast<const ccm_host_http*>(raw.http.table),
                                        raw.http.self);
      return Http(http, abi_minor, std::make_shared<const Closer>(host, raw.number));
    }
  };

  HttpClients() = default;
  HttpClients(Host host, uint32_t abi_minor) : host_(host), abi_minor_(abi_minor) {}
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(host_); }

  // A client of its own; it connects nowhere yet. It is closed when the last copy of it, and the
  // last exchange, is gone. Failures: invalid_argument says what is wrong with the options,
  // not_found and permission_denied name the file.
  [[nodiscard]] Operation<Open> open(Ctx ctx, HttpClientOptions options) const {
    return Operation<Open>(Open{host_, std::move(ctx), std::move(options), abi_minor_});
  }

 private:
  Host host_;
  uint32_t abi_minor_ = 0;
};

}  // namespace ccm
