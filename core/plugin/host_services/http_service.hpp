// ccm.host.http/1 over the HTTP client: retries, Retry-After, call budgets, metrics, redacted
// logs at verbosity 6.
#pragma once

#include "plugin/host_services/file_service.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/http_access.hpp"
#include "plugin/host_services/http_budgets.hpp"
#include "plugin/origin.hpp"
#include "plugin/recording/http_recording.hpp"

#include <ccm/abi/http.h>
#include <ccm/abi/http_client.h>
#include <ccm/scope.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

// One attempt, for metrics. Valid during the call.
struct HttpCallRecord {
  const ComponentIdentity& component;
  std::string_view operation;  // as the plugin named it; empty when it did not
  std::string_view method;
  unsigned http_status = 0;  // 0 = no answer
  std::chrono::nanoseconds duration{0};
  std::string_view controller{};  // the origin
  CallPriority priority = CallPriority::refresh;
};

struct HttpServiceOptions {
  SendHttp send;
  CallBudgets* budgets = nullptr;  // shared by all components; must outlive them
  std::string user_agent;          // the component's (HOST-133), unless the request brings one
  std::function<void(const HttpCallRecord&)> observer;  // may be empty
  std::shared_ptr<net::WriteGate> gate;        // for what changes something; null = always open
  std::shared_ptr<HttpRecording> recording{};  // gets each exchange; null: none is recorded
  WithheldWrites* withheld = nullptr;          // gets what changes something, in a dry run
  // The limit of an answer: reading it costs a multiple of that. A client of the component's own
  // may have another one.
  std::size_t body_limit = 16u << 20;
  std::vector<std::string> secrets{};          // further texts to redact
  std::shared_ptr<std::stop_source> closed{};  // for a client of its own: it was closed
};

class HttpService final : public HostService {
 public:
  HttpService(const std::shared_ptr<LiveComponent>& component, HttpServiceOptions options);

 private:
  static void send(void* self, ccm_ctx ctx, const ccm_http_request* request,
                   ccm_completion done) noexcept;
  static void send_wait(void* self, ccm_ctx ctx, const ccm_http_request* request,
                        ccm_completion done) noexcept;
  static const ccm_host_http kTable;

  const std::shared_ptr<const HttpServiceOptions> options_;
  Scope exchanges_;  // last: its coroutines use the others
};

// ccm.host.http_client/1: HTTP clients with a CA, a certificate or a proxy of their own.
class HttpClientService final : public HostService {
 public:
  // `make` opens clients; `shared` is what the component's shared client has. `files` must outlive
  // it.
  HttpClientService(const std::shared_ptr<LiveComponent>& component, MakeHttpClient make,
                    HttpServiceOptions shared, WatchedFiles& files);
  ~HttpClientService() override;

 private:
  struct State;
  static void open(void* self, ccm_ctx ctx, const ccm_http_client_options* request,
                   ccm_completion done) noexcept;
  static void close(void* self, uint64_t number) noexcept;
  static const ccm_host_http_client kTable;

  const std::shared_ptr<State> state_;  // the loop's
};

}  // namespace ccm::plugin
