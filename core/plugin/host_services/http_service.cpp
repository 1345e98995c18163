#include "plugin/host_services/http_service.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "net/url.hpp"
#include "plugin/operations.hpp"
#include "plugin/waiting.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/shown_text.hpp>
#include <ccm/sized.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kTryTimeout{30'000};
constexpr milliseconds kFirstPause{250};
constexpr milliseconds kLongestPause{10'000};
// A call that waits for the budget checks again: its priority may have been raised by then.
constexpr milliseconds kCheckAgain{1'000};
constexpr milliseconds kReservedRetry{60'000};

// Everything else waits for the leadership (RFC 9110 9.2.1), unless the plugin says otherwise.
bool reads_only(const net::Request& request, uint32_t flags) {
  return net::is_safe_method(request.method) || (flags & CCM_HTTP_READ_ONLY) != 0;
}

bool retryable(const Result<net::Response>& response) {
  if (!response) {
    return response.status().code() == Code::unavailable ||
           response.status().code() == Code::deadline_exceeded;
  }
  return response->status == 429 || (response->status >= 500 && response->status != 501);
}

// The id by which the cloud's support finds the call; empty when the answer has none.
std::string request_id(const net::Response& response) {
  constexpr std::size_t kLongest = 128;
  for (const char* name : {"x-request-id", "x-openstack-request-id", "x-compute-request-id"}) {
    std::string id = shown_text(utf8_text(response.header(name).substr(0, kLongest)));
    if (!id.empty()) return id;
  }
  return {};
}

// A cloud, or a proxy before it, that writes the credential into an error would bring it into logs
// and Events.
void redact_error(net::Response& response, const std::vector<std::string>& secrets) {
  constexpr std::size_t kLongest = 1u << 20;  // more says nothing to anybody
  if (response.status < 400) return;
  const SecretForms forms(secrets);
  response.body.resize(std::min(response.body.size(), kLongest));
  response.body = forms.without(response.body);
  for (net::Header& header : response.headers) header.value = forms.without(header.value);
}

Status redacted(const Status& status, const std::vector<std::string>& secrets) {
  std::string message = SecretForms(secrets).without(status.message());
  return Status(status.code(), status.error_class(), std::move(message))
      .with_reason(status.reason())
      .with_retry_after(status.retry_after());
}

// A request of a plugin.
struct HttpCall {
  net::Request request;
  std::string operation;
  std::string credential;  // for the call budget: "PLUGIN/NAME"
  std::vector<std::string> secrets;
  std::string replaces;  // for a dry run
  uint32_t tries = 1;
  bool writes = false;
};

// One request with all its tries. Loop thread.
class Exchange {
 public:
  Exchange(HostOperation::Ptr running, std::shared_ptr<const HttpServiceOptions> options,
           HttpCall call)
      : running_(std::move(running)), options_(std::move(options)), call_(std::move(call)) {
    if (!options_->closed) return;
    // With the client; the loop closes it.
    closed_.emplace(options_->closed->get_token(), [operation = running_] {
      operation->end(Status(Code::cancelled, "the HTTP client was closed"));
    });
  }

  // Ends the operation, unless it ends by itself.
  Task<void> run() {
    if (call_.writes && options_->withheld != nullptr) co_return withhold();
    for (tries_ = 1;; ++tries_) {
      if (!co_await admitted()) co_return;
      const Result<net::Response> response = co_await send();
      if (running_->ended()) co_return;
      const milliseconds pause = pause_before_next(response);
      const bool last = !retryable(response) || tries_ >= call_.tries || !time_for(pause);
      if (last && response) co_return finish(*response);
      if (last) {  // the message names method and URL
        co_return running_->end(redacted(response.status(), call_.secrets));
      }
      co_await wait(pause);
    }
  }

 private:
  runtime::Timers& timers() { return running_->component().runtime().timers; }

  // The purpose of a call without an origin (a log-in, a listing for many Services) is unknown. It
  // does not get what is reserved for new Nodes alone: tenants may have caused it.
  [[nodiscard]] CallPriority priority() const {
    const auto& origin = running_->context()->origin();
    return origin ? origin->priority() : CallPriority::load_balancers;
  }
  [[nodiscard]] const std::string& controller() const {
    const auto& origin = running_->context()->origin();
    return origin ? origin->controller() : running_->component().identity().name;
  }

  void withhold() {
    const std::string url = net::redact_url(call_.request.url);
    const SecretForms secrets(call_.secrets);
    const std::string body = secrets.without(call_.request.body);
    const std::string before = secrets.without(call_.replaces);
    const auto& origin = running_->context()->origin();
    if (origin) origin->note_withheld();
    options_->withheld->withhold(
        {running_->component().identity().name, origin, call_.request.method, url, body, before});
    running_->end(WithheldWrites::refusal(call_.request.method + " " + url));
  }

  // The window may end earlier than the cloud said, so waits are short.
  void refuse(milliseconds pause, CallPriority wanted) {
    const bool closed = options_->budgets->closed(call_.credential);
    Status status(Code::resource_exhausted, ErrorClass::throttled,
                  options_->budgets->obstacle(call_.credential, wanted));
    if (!closed) status.with_reason(std::string(kCallBudgetSpent));
    running_->end(status.with_retry_after(std::min(pause, kReservedRetry)));
  }

  [[nodiscard]] bool time_for(milliseconds pause) const {
    const auto left = running_->context()->remaining();
    return !left || pause < *left;
  }

  // Waits for the credential's budget. False: the operation has ended instead.
  Task<bool> admitted() {
    while (!running_->ended()) {
      const CallPriority wanted = priority();
      const milliseconds pause =
          options_->budgets->admit(call_.credential, wanted, controller(), !call_.writes);
      if (pause <= milliseconds(0)) co_return true;
      if (!std::exchange(held_, true)) options_->budgets->note_held(call_.credential);
      if (!time_for(pause)) {
        refuse(pause, wanted);
        break;
      }
      co_await wait(std::min(pause, kCheckAgain));
    }
    co_return false;
  }

  // A while, or until the operation has ended.
  Task<void> wait(milliseconds delay) {
    const auto context = running_->context()->child(delay);
    const std::stop_callback ended(running_->stop_token(), [&context] { context->cancel(); });
    co_await end_of(context);
  }

  // One try; its answer is told to all who keep account of it.
  Task<Result<net::Response>> send() {
    begin_ = timers().now();
    const CallbackAwaiter<Result<net::Response>>::Start start =
        [&](std::function<void(Result<net::Response>)> done) {
          net::Request request = call_.request;
          if (const auto left = running_->context()->remaining()) {
            request.timeout = std::clamp(*left, milliseconds(1), call_.request.timeout);
          }
          request.stop = running_->stop_token();
          options_->send(std::move(request), std::move(done));
        };
    CallbackAwaiter<Result<net::Response>> sending(start);
    Result<net::Response> response = co_await sending;
    if (options_->recording) {
      options_->recording->add({running_->component().identity().name, call_.operation,
                                call_.request, response, timers().now() - begin_, call_.secrets});
    }
    if (response) redact_error(*response, call_.secrets);
    report(response);
    options_->budgets->answered(call_.credential, response ? &*response : nullptr);
    co_return response;
  }

  // As long as the server says, else 250 ms doubled with each attempt; half of it is random, so
  // that many clients do not retry at once.
  milliseconds pause_before_next(const Result<net::Response>& response) const {
    if (response) {
      const auto advised =
          parse_retry_after(response->header("retry-after"), std::chrono::system_clock::now());
      if (advised) return *advised;
    }
    const milliseconds base =
        std::min(kFirstPause * (1 << std::min(tries_ - 1, 6u)), kLongestPause);
    static thread_local std::minstd_rand random{std::random_device{}()};
    std::uniform_int_distribution<int64_t> spread(base.count() / 2, base.count());
    return milliseconds(spread(random));
  }

  void report(const Result<net::Response>& response) {
    const auto duration = timers().now() - begin_;
    const unsigned status = response ? response->status : 0;
    if (const auto line = log::v(6)) {
      line.info("HTTP call of a plugin", {{"component", running_->component().identity().name},
                                          {"operation", call_.operation},
                                          {"method", call_.request.method},
                                          {"url", net::redact_url(call_.request.url)},
                                          {"status", status},
                                          {"err", response.status()},
                                          {"duration", duration},
                                          {"try", tries_}});
    }
    if (const auto& origin = running_->context()->origin()) {
      origin->answered({call_.operation.empty() ? call_.request.method : call_.operation, status,
                        response ? request_id(*response) : std::string(), timers().now(),
                        duration});
    }
    if (options_->withheld != nullptr) {
      options_->withheld->answered(running_->component().identity().name,
                                   call_.operation.empty() ? call_.request.method : call_.operation,
                                   status);
    }
    if (!options_->observer) return;
    options_->observer({running_->component().identity(), call_.operation, call_.request.method,
                        status, duration, controller(), priority()});
  }

  void finish(const net::Response& response) {
    std::vector<std::string> names;
    names.reserve(response.headers.size());
    std::vector<ccm_key_value> headers;
    headers.reserve(response.headers.size());
    for (const net::Header& header : response.headers) {
      names.push_back(lower_case(header.name));
      headers.push_back({c_str(names.back()), c_str(header.value)});
    }
    auto result = sized<ccm_http_response>();
    result.status_code = response.status;
    result.headers = headers.data();
    result.header_count = headers.size();
    result.body = c_str(response.body);
    running_->end({}, &result);
  }

  const HostOperation::Ptr running_;
  const std::shared_ptr<const HttpServiceOptions> options_;
  const HttpCall call_;
  uint32_t tries_ = 0;
  bool held_ = false;
  runtime::TimePoint begin_;
  std::optional<std::stop_callback<std::function<void()>>> closed_;
};

Task<void> exchange_of(HostOperation::Ptr running,
                       std::shared_ptr<const HttpServiceOptions> options, HttpCall call) {
  Exchange exchange(std::move(running), std::move(options), std::move(call));
  co_await exchange.run();
}

net::Request read_http_request(const ccm_http_request& request, const HttpServiceOptions& options) {
  net::Request read;
  read.method = view(request.method).empty() ? "GET" : std::string(view(request.method));
  read.url = view(request.url);
  bool has_agent = false;
  const std::size_t headers = request.headers != nullptr ? request.header_count : 0;
  for (std::size_t index = 0; index < headers; ++index) {
    const ccm_key_value& header = request.headers[index];
    read.headers.push_back({std::string(view(header.key)), std::string(view(header.value))});
    has_agent = has_agent || lower_case(view(header.key)) == "user-agent";
  }
  if (!has_agent && !options.user_agent.empty()) {
    read.headers.push_back({"User-Agent", options.user_agent});
  }
  read.body = view(request.body);
  read.timeout = request.timeout_ms != 0 ? milliseconds(request.timeout_ms) : kTryTimeout;
  read.max_response_bytes = options.body_limit;
  if (!reads_only(read, request.flags)) read.gate = options.gate;
  return read;
}

HttpCall read_call(const ccm_http_request& raw, const LiveComponent& component,
                   const HttpServiceOptions& options) {
  constexpr uint32_t kSafeTries = 3;
  HttpCall call;
  call.request = read_http_request(raw, options);
  call.writes = !reads_only(call.request, raw.flags);
  call.operation = view(raw.operation);
  if (options.withheld != nullptr) call.replaces = view(raw.replaces);
  const std::string_view credential = view(raw.credential);
  // Components of a plugin share an account, plugins do not.
  call.credential = component.identity().plugin_id;
  if (!credential.empty()) call.credential += "/" + std::string(credential);
  call.secrets = secrets_of(call.request);
  const std::size_t secrets = raw.secrets != nullptr ? raw.secret_count : 0;
  for (std::size_t index = 0; index < secrets; ++index) {
    call.secrets.emplace_back(view(raw.secrets[index]));
  }
  call.secrets.insert(call.secrets.end(), options.secrets.begin(), options.secrets.end());
  std::erase_if(call.secrets, [](const auto& text) { return text.empty(); });
  const bool safe = call.request.method == "GET" || call.request.method == "HEAD" ||
                    (raw.flags & CCM_HTTP_IDEMPOTENT) != 0;
  call.tries = raw.max_tries != 0 ? raw.max_tries : safe ? kSafeTries : 1;
  return call;
}

}  // namespace

HttpService::HttpService(const std::shared_ptr<LiveComponent>& component,
                         HttpServiceOptions options)
    : HostService(component, CCM_HOST_HTTP, &kTable),
      options_(std::make_shared<const HttpServiceOptions>(std::move(options))) {}

void HttpService::send(void* self, ccm_ctx ctx, const ccm_http_request* given,
                       ccm_completion done) noexcept {
  auto& service = *static_cast<HttpService*>(self);
  const auto component = service.component();
  Status wrong = check_request(given, CCM_HTTP_READ_ONLY | CCM_HTTP_IDEMPOTENT);
  const ccm_http_request request = known(given);
  HttpCall call;
  if (component && wrong.ok()) {
    call = read_call(request, *component, *service.options_);
    component->runtime().secrets->learn(call.secrets);
  }
  // The service stays for as long as the process does, since stray threads may call it.
  auto start = [&service, call = std::move(call)](const HostOperation::Ptr& running) {
    const auto& options = service.options_;
    if (options->closed && options->closed->stop_requested()) {
      return running->end(Status(Code::failed_precondition, "the HTTP client was closed"));
    }
    service.exchanges_.start(exchange_of(running, options, call),
                             ending_on_fault(running->component().runtime().timers));
  };
  HostOperation::begin(component, ctx, done, known_operation("http.send"), std::move(wrong),
                       std::move(start));
}

const ccm_host_http HttpService::kTable{sizeof(kTable), 0, &send, &send_wait};

// An HTTP exchange for which the calling thread waits.

namespace {

// An answer on its way from the loop to the thread that waits for it.
struct AwaitedAnswer {
  std::mutex mutex;
  std::condition_variable arrived;
  std::optional<Status> status;
  bool has_response = false;
  uint32_t status_code = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  static void take(void* owner, uint64_t, const ccm_status* status, const void* result) {
    auto& self = *static_cast<AwaitedAnswer*>(owner);
    const std::lock_guard lock(self.mutex);
    if (result != nullptr) {
      const auto& response = *static_cast<const ccm_http_response*>(result);
      self.has_response = true;
      self.status_code = response.status_code;
      self.body = view(response.body);
      for (std::size_t index = 0; index < response.header_count; ++index) {
        const ccm_key_value& header = response.headers[index];
        self.headers.emplace_back(view(header.key), view(header.value));
      }
    }
    self.status = Status::from_c(status);
    self.arrived.notify_one();  // under the lock: the waiting thread destroys this
  }

  void pass_on(ccm_completion done) const {
    std::vector<ccm_key_value> raw_headers;
    raw_headers.reserve(headers.size());
    for (const auto& [key, value] : headers) raw_headers.push_back({c_str(key), c_str(value)});
    auto response = sized<ccm_http_response>();
    response.status_code = status_code;
    response.headers = raw_headers.data();
    response.header_count = raw_headers.size();
    response.body = c_str(body);
    const ccm_status raw = status->to_c();
    done.fn(done.owner, done.operation, &raw, has_response ? &response : nullptr);
  }
};

}  // namespace

void HttpService::send_wait(void* self, ccm_ctx ctx, const ccm_http_request* request,
                            ccm_completion done) noexcept {
  const auto component = static_cast<HttpService*>(self)->component();
  if (done.fn == nullptr) return;
  if (component && !component->check_thread(ThreadTag::worker, "http.send_wait")) {
    const Status wrong =
        Status(Code::failed_precondition, "http.send_wait was called on the host's loop")
            .with_reason(CCM_REASON_WRONG_THREAD);
    const ccm_status raw = wrong.to_c();
    return done.fn(done.owner, done.operation, &raw, nullptr);
  }
  AwaitedAnswer answer;
  send(self, ctx, request, {&AwaitedAnswer::take, &answer, 0});
  std::unique_lock lock(answer.mutex);
  answer.arrived.wait(lock, [&answer] { return answer.status.has_value(); });
  lock.unlock();
  answer.pass_on(done);
}

namespace {

constexpr std::size_t kPemLimit = 1u << 20;
constexpr std::size_t kMostBody = 64u << 20;
constexpr std::chrono::hours kWarnAgain{1};

// A ccm_http_client_options, copied.
struct WantedClient {
  std::string name;
  net::ClientOptions options;
  std::array<std::string, 3> files;  // for CA, certificate and key; empty = the text counts
  std::size_t body_limit = kMostBody;
  std::vector<std::string> secrets;
};

WantedClient read_wanted(const ccm_http_client_options& raw) {
  WantedClient wanted;
  wanted.name = view(raw.name);
  net::TlsOptions& tls = wanted.options.tls;
  tls.ca_pem = view(raw.ca_pem);
  tls.certificate_pem = view(raw.certificate_pem);
  tls.private_key_pem = view(raw.key_pem);
  tls.server_name = view(raw.server_name);
  tls.server_fingerprint = view(raw.fingerprint);
  tls.insecure_skip_verify = (raw.flags & CCM_HTTP_INSECURE) != 0;
  if (tls.ca_pem.empty()) wanted.files[0] = view(raw.ca_file);
  if (tls.certificate_pem.empty()) wanted.files[1] = view(raw.certificate_file);
  if (tls.private_key_pem.empty()) wanted.files[2] = view(raw.key_file);
  wanted.options.proxy_url = view(raw.proxy);
  wanted.options.proxy_from_environment =
      wanted.options.proxy_url.empty() && (raw.flags & CCM_HTTP_NO_PROXY) == 0;
  if (raw.max_connections > 0) wanted.options.max_connections_per_origin = raw.max_connections;
  if (raw.body_limit > 0) {
    wanted.body_limit = std::min(kMostBody, static_cast<std::size_t>(raw.body_limit));
  }
  const std::size_t secrets = raw.secrets != nullptr ? raw.secret_count : 0;
  for (std::size_t index = 0; index < secrets; ++index) {
    wanted.secrets.emplace_back(view(raw.secrets[index]));
  }
  return wanted;
}

Status check_wanted(const WantedClient& wanted) {
  for (const std::string& file : wanted.files) {
    if (!file.empty() && file.front() != '/') {
      return Status(Code::invalid_argument, "\"" + file + "\" is no absolute path");
    }
  }
  return {};
}

std::string& pem_of(net::TlsOptions& tls, std::size_t index) {
  return index == 0 ? tls.ca_pem : index == 1 ? tls.certificate_pem : tls.private_key_pem;
}

}  // namespace

// The open clients. Loop thread.
struct HttpClientService::State : std::enable_shared_from_this<State> {
  struct Client {
    WantedClient wanted;
    OwnHttpClient own;
    std::shared_ptr<std::stop_source> closed;
    std::vector<uint64_t> watches;
  };

  State(const std::shared_ptr<LiveComponent>& wanted, MakeHttpClient maker,
        HttpServiceOptions options, WatchedFiles& watched)
      : component(wanted),
        timers(wanted->runtime().timers),
        make(std::move(maker)),
        shared(std::move(options)),
        files(watched) {}

  void start(Task<void> task) { tasks.start(std::move(task), ending_on_fault(timers)); }

  // The texts of the files, one after the other.
  Task<Result<net::TlsOptions>> read_files(WantedClient wanted) {
    net::TlsOptions tls = wanted.options.tls;
    for (std::size_t index = 0; index < wanted.files.size(); ++index) {
      if (wanted.files[index].empty()) continue;
      const CallbackAwaiter<Result<std::string>>::Start begin =
          [&](std::function<void(Result<std::string>)> done) {
            files.read(wanted.files[index], kPemLimit, std::move(done));
          };
      CallbackAwaiter<Result<std::string>> reading(begin);
      Result<std::string> text = co_await reading;
      if (!text) co_return text.status();
      pem_of(tls, index) = *std::move(text);
    }
    co_return tls;
  }

  Task<void> open(HostOperation::Ptr running, WantedClient wanted) {
    const Result<net::TlsOptions> tls = co_await read_files(wanted);
    if (running->ended()) co_return;
    if (!tls.ok()) co_return running->end(tls.status());
    const auto alive = component.lock();
    if (!alive) {
      co_return running->end(Status(Code::failed_precondition, "the component ends"));
    }
    Client client;
    client.wanted = wanted;
    net::ClientOptions options = wanted.options;
    options.tls = *tls;
    client.own = make(std::move(options));
    if (const Status wrong = client.own.check(); !wrong.ok()) {
      co_return running->end(Status(Code::invalid_argument, wrong.message()));
    }
    client.closed = std::make_shared<std::stop_source>();
    HttpServiceOptions service = shared;
    service.send = client.own.send;
    service.body_limit = wanted.body_limit;
    service.secrets = wanted.secrets;
    service.closed = client.closed;
    // Kept after close(), so that a late call is refused and no crash.
    services.push_back(std::make_unique<HttpService>(alive, std::move(service)));
    const uint64_t number = ++last;
    clients.emplace(number, std::move(client));
    watch(number);
    if (wanted.options.tls.insecure_skip_verify) start(warn(number));
    auto result = sized<ccm_http_client>();
    result.http = services.back()->interface();
    result.number = number;
    running->end({}, &result);
  }

  void watch(uint64_t number) {
    Client& client = clients.at(number);
    for (const std::string& file : client.wanted.files) {
      if (file.empty()) continue;
      client.watches.push_back(files.watch(file, [weak = weak_from_this(), number] {
        if (const auto self = weak.lock()) self->start(self->reload(number));
      }));
    }
  }

  Task<void> reload(uint64_t number) {
    auto place = clients.find(number);
    if (place == clients.end()) co_return;
    const Result<net::TlsOptions> tls = co_await read_files(place->second.wanted);
    place = clients.find(number);
    if (place == clients.end()) co_return;
    Client& client = place->second;
    Status status = tls.status();
    if (tls.ok()) {
      net::ClientOptions options = client.wanted.options;
      options.tls = *tls;
      status = make(std::move(options)).check();
    }
    if (!status.ok()) {
      log::warning("Changed files of an HTTP client cannot be used; the earlier content stays",
                   {{"client", client.wanted.name}, {"err", status}});
      co_return;
    }
    client.own.set_tls(*tls);
    log::info("HTTP client uses its changed files", {{"client", client.wanted.name}});
  }

  // Again and again, until it is closed.
  Task<void> warn(uint64_t number) {
    for (auto place = clients.find(number); place != clients.end(); place = clients.find(number)) {
      // Not held over the pause: the component may end in it.
      if (const auto alive = component.lock()) {
        log::warning(
            "HTTP client does not check the server's certificate",
            {{"component", alive->identity().name}, {"client", place->second.wanted.name}});
      } else {
        co_return;
      }
      co_await sleep(timers, kWarnAgain);
    }
  }

  void close(uint64_t number) {
    auto taken = clients.extract(number);
    if (taken.empty()) return;
    Client& client = taken.mapped();
    for (const uint64_t watched : client.watches) files.unwatch(watched);
    client.closed->request_stop();
  }

  const std::weak_ptr<LiveComponent> component;
  runtime::Timers& timers;
  const MakeHttpClient make;
  const HttpServiceOptions shared;
  WatchedFiles& files;
  uint64_t last = 0;
  std::map<uint64_t, Client> clients;
  std::vector<std::unique_ptr<HttpService>> services;
  Scope tasks;  // last: its coroutines use the others
};

HttpClientService::HttpClientService(const std::shared_ptr<LiveComponent>& component,
                                     MakeHttpClient make, HttpServiceOptions shared,
                                     WatchedFiles& files)
    : HostService(component, CCM_HOST_HTTP_CLIENT, &kTable),
      state_(std::make_shared<State>(component, std::move(make), std::move(shared), files)) {
  component->background()->on_end([weak = std::weak_ptr(state_)] {
    const auto state = weak.lock();
    while (state && !state->clients.empty()) state->close(state->clients.begin()->first);
  });
}

HttpClientService::~HttpClientService() = default;

void HttpClientService::open(void* self, ccm_ctx ctx, const ccm_http_client_options* given,
                             ccm_completion done) noexcept {
  auto& service = *static_cast<HttpClientService*>(self);
  Status wrong = check_request(given, CCM_HTTP_INSECURE | CCM_HTTP_NO_PROXY);
  WantedClient wanted;
  if (wrong.ok()) {
    wanted = read_wanted(known(given));
    wrong = check_wanted(wanted);
  }
  auto start = [state = service.state_,
                wanted = std::move(wanted)](const HostOperation::Ptr& running) {
    state->start(state->open(running, wanted));
  };
  HostOperation::begin(service.component(), ctx, done, "http_client.open", std::move(wrong),
                       std::move(start));
}

void HttpClientService::close(void* self, uint64_t number) noexcept {
  const auto& service = *static_cast<HttpClientService*>(self);
  const auto component = service.component();
  if (!component) return;
  component->runtime().loop.post([state = service.state_, number] { state->close(number); });
}

const ccm_host_http_client HttpClientService::kTable{sizeof(kTable), 0, &open, &close};

}  // namespace ccm::plugin
