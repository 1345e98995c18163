#include "cloud_session.hpp"

#include "app/client_factory.hpp"
#include "net/http_client.hpp"
#include "owned_objects.hpp"
#include "plugin/await_callback.hpp"
#include "plugin/host_services/http_access.hpp"
#include "plugin_host/plugin_host.hpp"

#include <boost/asio/co_spawn.hpp>
#include <prometheus/registry.h>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace ccm::ctl {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr milliseconds kStep{50};
constexpr milliseconds kStopLimit{5'000};

// Without a cluster to ask.
class NoObjectApi final : public plugin::ObjectApi {
 public:
  explicit NoObjectApi(runtime::EventLoop& loop) : loop_(loop) {}
  void send(plugin::ObjectRequest, Done done) override {
    loop_.post([done = std::move(done)] {
      done(Status(Code::permission_denied, "ccmctl does not ask the cluster for this command"));
    });
  }

 private:
  runtime::EventLoop& loop_;
};

// Nothing that it does needs caches.
class NoEvents final : public runtime::EventSource {
 public:
  Status watch(const runtime::WatchSpec& /*spec*/, kube::InformerHandler /*handler*/) override {
    return {};
  }
};

class Alone final : public plugin::LeaderState {
 public:
  explicit Alone(bool writes) : writes_(writes) {}
  [[nodiscard]] bool leading() const override { return writes_; }
  [[nodiscard]] uint64_t transitions() const override { return 0; }

 private:
  bool writes_;
};

}  // namespace

struct CloudSession::Impl final : plugin::FlagSource {
  Impl(const CloudOptions& options, const std::string& cluster_name, Access access)
      : flags(options, cluster_name),
        alone(access == Access::writes),
        gate(std::make_shared<net::WriteGate>([this] { return alone.leading(); })) {}

  std::optional<std::string> flag(std::string_view name) const override {
    return flags.line().flag_text(name);
  }
  bool given(std::string_view name) const override {
    return flags.line().flag_text(name).has_value() && flags.line().is_set(name);
  }

  Status load();
  Status start(const ManagerOptions* cluster, std::chrono::seconds limit);
  plugin_host::PluginHostDependencies dependencies(std::optional<kube::ClientConfig> cluster);
  [[nodiscard]] Status cloud_failure() const;
  // Null when the provider does not tell what it made.
  OwnedObjects* owned_objects();
  void stop();

  // Runs the loop until `work` has ended.
  template <typename T>
  T wait(asio::awaitable<T> work) {
    std::optional<T> ended;
    asio::co_spawn(loop.context(), keep(std::move(work), ended),
                   [](const std::exception_ptr& fault) {
                     if (fault) std::rethrow_exception(fault);
                   });
    while (!ended) loop.run_for(kStep);
    return *std::move(ended);
  }

  template <typename T>
  static asio::awaitable<void> keep(asio::awaitable<T> work, std::optional<T>& ended) {
    ended.emplace(co_await std::move(work));
  }

  ManagerFlags flags;
  app::SelectedComponent component;
  runtime::EventLoop loop;
  runtime::WorkerPool workers;
  prometheus::Registry metrics;
  NoEvents events;
  plugin::InformerCache cache;
  Alone alone;
  std::shared_ptr<net::WriteGate> gate;
  std::optional<plugin_host::PluginHost> host;
  std::optional<OwnedObjects> owned;
  Scope tasks;
  bool stopped = false;
};

OwnedObjects* CloudSession::Impl::owned_objects() {
  const auto provider = host->provider();
  const auto found = provider->get_interface(CCM_CLOUD_OWNED);
  if (!owned && found) owned.emplace(provider, *found);
  return owned && owned->usable() ? &*owned : nullptr;
}

Status CloudSession::Impl::load() {
  if (Status status = flags.parse(); !status.ok()) return status;
  auto loaded = flags.load_provider();
  if (!loaded.ok()) return loaded.status();
  component = *std::move(loaded);
  return {};
}

plugin_host::PluginHostDependencies CloudSession::Impl::dependencies(
    std::optional<kube::ClientConfig> cluster) {
  const bool plaintext = flags.options().kube_cloud_shared.allow_plaintext_cloud_credentials;
  net::ClientOptions http;
  http.proxy_from_environment = true;
  const auto user_agent = [](const plugin::ComponentIdentity& identity) {
    return app::ClientFactory::user_agent_of(identity.client_name);
  };
  plugin_host::ProcessParts process{.loop = loop,
                                    .timers = loop.timers(),
                                    .workers = workers,
                                    .metrics = metrics,
                                    .flags = *this,
                                    .leader = alone,
                                    .write_gate = gate};
  plugin_host::ClusterParts objects{
      .events = events,
      .cache = cache,
      .object_api = [this, cluster, user_agent](const plugin::ComponentIdentity& identity)
          -> std::shared_ptr<plugin::ObjectApi> {
        if (!cluster) return std::make_shared<NoObjectApi>(loop);
        kube::ClientOptions options;
        options.user_agent = user_agent(identity);
        // Nothing is ever written to the cluster.
        options.gate = std::make_shared<net::WriteGate>([] { return false; });
        return plugin::make_object_api(kube::Client(loop.executor(), *cluster, options));
      },
      .record_event = [](const std::string&, kube::ObjectReference, kube::EventType, std::string,
                         std::string) {}};
  const auto guarded = [this, plaintext](plugin::SendHttp send) {
    return plugin::guard_credentials(loop.executor(), std::move(send), plaintext);
  };
  plugin_host::CloudParts cloud{
      .send_http = guarded(plugin::make_send_http(
          loop.executor(), std::make_shared<net::HttpClient>(loop.executor(), http))),
      .make_http_client = plugin::make_http_clients(loop.executor(), guarded),
      .user_agent = user_agent,
      .config_path = flags.options().kube_cloud_shared.cloud_config};
  return {process, std::move(objects), std::move(cloud)};
}

Status CloudSession::Impl::start(const ManagerOptions* cluster, std::chrono::seconds limit) {
  std::optional<kube::ClientConfig> config;
  if (cluster != nullptr) {
    auto read = cluster_config(*cluster);
    if (!read.ok()) return read.status();
    config = *std::move(read);
  }
  host.emplace(dependencies(std::move(config)));
  if (Status status = host->load_cloud_config(); !status.ok()) return status;
  Status status = wait(host->create_provider(component.plugin, component.name));
  if (!status.ok()) return status;
  std::optional<Status> ready;
  asio::co_spawn(loop.context(), host->start_provider(),
                 [&ready](const std::exception_ptr& fault, Status ended) {
                   if (fault) std::rethrow_exception(fault);
                   ready = std::move(ended);
                 });
  const auto end = std::chrono::steady_clock::now() + limit;
  Status failed;
  while (!ready && failed.ok() && std::chrono::steady_clock::now() < end) {
    loop.run_for(kStep);
    failed = cloud_failure();
  }
  if (ready) return *ready;
  stop();
  while (!ready) loop.run_for(kStep);
  if (!failed.ok()) return failed;
  return {Code::unavailable, "it was not ready within " + std::to_string(limit.count()) +
                                 " s; the lines above say why"};
}

// A cloud that fails is told of at once: waiting would mend nothing.
Status CloudSession::Impl::cloud_failure() const {
  if (host->cloud().health().healthy()) return {};
  const cloud::CloudTrouble worst = host->cloud().health().troubles().front();
  std::string text = worst.what;
  if (!worst.message.empty()) text += ": " + worst.message;
  return Status(Code::unavailable, std::move(text))
      .with_reason(std::string(to_string(worst.fault)));
}

// A component that does not end stays until the process does.
void CloudSession::Impl::stop() {
  if (!host || std::exchange(stopped, true)) return;
  (void)wait(host->stop(kStopLimit));
}

CloudSession::CloudSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

CloudSession::~CloudSession() {
  if (impl_) impl_->stop();
}

Result<std::unique_ptr<CloudSession>> CloudSession::open(const CloudOptions& options,
                                                         const std::string& cluster_name,
                                                         const ManagerOptions* cluster,
                                                         Access access) {
  auto impl = std::make_unique<Impl>(options, cluster_name, access);
  if (Status status = impl->load(); !status.ok()) return status;
  std::unique_ptr<CloudSession> session(new CloudSession(std::move(impl)));
  Status started = session->impl_->start(cluster, std::chrono::seconds(options.timeout_seconds));
  if (!started.ok()) return started.with_context("provider " + options.provider);
  return session;
}

const std::string& CloudSession::provider() const { return impl_->component.name; }

bool CloudSession::offers_load_balancers() const {
  return impl_->host->cloud().load_balancers() != nullptr;
}

Status CloudSession::cloud_failure() const { return impl_->cloud_failure(); }

std::string CloudSession::cloud_slowness() const {
  const auto troubles = impl_->host->cloud().health().troubles();
  const bool slow = !troubles.empty() && troubles.back().fault == cloud::CloudFault::slow;
  return slow ? troubles.back().what : std::string();
}

Result<std::vector<std::string>> CloudSession::missing_machines(
    const std::vector<std::string>& provider_ids) {
  using Listed = Result<cloud::InstanceSnapshot::Ptr>;
  cloud::InstancesBroker* instances = impl_->host->cloud().instances();
  if (instances == nullptr || !instances->can_list()) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "provider " + provider() + " cannot list instances");
  }
  const Listed listed = impl_->wait(plugin::await_task(impl_->tasks, instances->list()));
  if (!listed.ok()) return listed.status();
  std::vector<std::string> missing;
  for (const std::string& id : provider_ids) {
    const bool has = (*listed)->find_provider_id(id) != cloud::InstanceSnapshot::kNone;
    if (!has && !(*listed)->may_lack(id)) missing.push_back(id);
  }
  return missing;
}

Result<std::vector<OwnedObject>> CloudSession::list(const ClusterNames& cluster) {
  OwnedObjects* owned = impl_->owned_objects();
  if (owned == nullptr) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "provider " + provider() + " cannot tell what it made in the cloud");
  }
  return impl_->wait(plugin::await_task(impl_->tasks, owned->list(cluster)));
}

Status CloudSession::remove(const ClusterNames& cluster, const OwnedObject& object) {
  OwnedObjects* owned = impl_->owned_objects();
  if (owned == nullptr) return {Code::unimplemented, "nothing was listed"};
  return impl_->wait(plugin::await_task(impl_->tasks, owned->remove(cluster, object)));
}

}  // namespace ccm::ctl
