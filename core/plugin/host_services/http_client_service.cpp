#include "plugin/host_services/http_client_service.hpp"

#include "base/log.hpp"
#include "plugin/host_services/host_service.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

namespace {

constexpr std::size_t kPemLimit = 1u << 20;
constexpr std::size_t kMostBody = 64u << 20;
constexpr std::chrono::hours kWarnAgain{1};

// A ccm_http_client_options, copied.
struct WantedClient {
  std::string name;
  net::ClientOptions options;
  std::array<std::string, 3> files;  // of CA, certificate and key; empty = the text counts
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
    runtime::Timers::Id warning = 0;
  };
  using Read = std::function<void(Result<net::TlsOptions>)>;

  State(const std::shared_ptr<LiveComponent>& wanted, MakeHttpClient maker,
        HttpServiceOptions options, WatchedFiles& watched)
      : component(wanted),
        timers(wanted->runtime().timers),
        make(std::move(maker)),
        shared(std::move(options)),
        files(watched) {}

  // The texts of the files, one after the other.
  void read_files(const WantedClient& wanted, net::TlsOptions tls, std::size_t index, Read done) {
    while (index < wanted.files.size() && wanted.files[index].empty()) ++index;
    if (index == wanted.files.size()) return done(std::move(tls));
    files.read(wanted.files[index], kPemLimit,
               [weak = weak_from_this(), wanted, tls = std::move(tls), index,
                done = std::move(done)](Result<std::string> text) mutable {
                 const auto self = weak.lock();
                 if (!self) return;
                 if (!text) return done(text.status());
                 pem_of(tls, index) = *std::move(text);
                 self->read_files(wanted, std::move(tls), index + 1, std::move(done));
               });
  }

  void opened(const HostOperation::Ptr& running, const WantedClient& wanted,
              const Result<net::TlsOptions>& tls) {
    if (running->ended()) return;
    if (!tls.ok()) return running->end(tls.status());
    const auto alive = component.lock();
    if (!alive) return running->end(Status(Code::failed_precondition, "the component ends"));
    Client client;
    client.wanted = wanted;
    net::ClientOptions options = wanted.options;
    options.tls = *tls;
    client.own = make(std::move(options));
    if (const Status wrong = client.own.check(); !wrong.ok()) {
      return running->end(Status(Code::invalid_argument, wrong.message()));
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
    if (wanted.options.tls.insecure_skip_verify) warn(number);
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
        if (const auto self = weak.lock()) self->reload(number);
      }));
    }
  }

  void reload(uint64_t number) {
    const auto place = clients.find(number);
    if (place == clients.end()) return;
    const WantedClient wanted = place->second.wanted;
    read_files(wanted, wanted.options.tls, 0,
               [weak = weak_from_this(), number](const Result<net::TlsOptions>& tls) {
                 if (const auto self = weak.lock()) self->reloaded(number, tls);
               });
  }

  void reloaded(uint64_t number, const Result<net::TlsOptions>& tls) {
    const auto place = clients.find(number);
    if (place == clients.end()) return;
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
      return;
    }
    client.own.set_tls(*tls);
    log::info("HTTP client uses its changed files", {{"client", client.wanted.name}});
  }

  void warn(uint64_t number) {
    const auto place = clients.find(number);
    const auto alive = component.lock();
    if (place == clients.end() || !alive) return;
    log::warning("HTTP client does not check the server's certificate",
                 {{"component", alive->identity().name}, {"client", place->second.wanted.name}});
    place->second.warning = timers.after(kWarnAgain, [weak = weak_from_this(), number] {
      if (const auto self = weak.lock()) self->warn(number);
    });
  }

  void close(uint64_t number) {
    auto taken = clients.extract(number);
    if (taken.empty()) return;
    Client& client = taken.mapped();
    for (const uint64_t watched : client.watches) files.unwatch(watched);
    if (client.warning != 0) timers.cancel(client.warning);
    client.closed->request_stop();
  }

  void close_all() {
    while (!clients.empty()) close(clients.begin()->first);
  }

  const std::weak_ptr<LiveComponent> component;
  runtime::Timers& timers;
  const MakeHttpClient make;
  const HttpServiceOptions shared;
  WatchedFiles& files;
  uint64_t last = 0;
  std::map<uint64_t, Client> clients;
  std::vector<std::unique_ptr<HttpService>> services;
};

HttpClientService::HttpClientService(const std::shared_ptr<LiveComponent>& component,
                                     MakeHttpClient make, HttpServiceOptions shared,
                                     WatchedFiles& files)
    : HostService(component, CCM_HOST_HTTP_CLIENT, &kTable),
      state_(std::make_shared<State>(component, std::move(make), std::move(shared), files)) {
  component->background()->on_end([weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock()) state->close_all();
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
    state->read_files(wanted, wanted.options.tls, 0,
                      [state, running, wanted](const Result<net::TlsOptions>& tls) {
                        state->opened(running, wanted, tls);
                      });
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
