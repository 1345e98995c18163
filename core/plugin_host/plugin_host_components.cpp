// The components of a PluginHost: how they are made, and which services each one has.
#include "plugin/await_callback.hpp"
#include "plugin/host_services/config_service.hpp"
#include "plugin/host_services/crypto_service.hpp"
#include "plugin/host_services/file_service.hpp"
#include "plugin/host_services/http_client_service.hpp"
#include "plugin/host_services/http_service.hpp"
#include "plugin/host_services/kube_service.hpp"
#include "plugin/host_services/log_service.hpp"
#include "plugin/host_services/metrics_service.hpp"
#include "plugin/host_services/object_service.hpp"
#include "plugin/host_services/controller_services.hpp"
#include "plugin/host_services/scheduling_services.hpp"
#include "plugin_host/plugin_host_impl.hpp"

#include <cstdlib>
#include <map>
#include <utility>

namespace ccm::plugin {

using boost::asio::awaitable;

RecordEvent PluginHost::Impl::noting_warnings(const ComponentIdentity& component) const {
  auto recording = deps.component_events ? deps.component_events(component) : deps.record_event;
  return [notes = warnings, record = std::move(recording)](
             const std::string& source, kube::ObjectReference about, kube::EventType type,
             std::string reason, std::string message) {
    if (type == kube::EventType::warning) notes->note(about, reason, message);
    if (record) record(source, std::move(about), type, std::move(reason), std::move(message));
  };
}

std::shared_ptr<AnnotationWarnings> PluginHost::Impl::annotation_warnings_of(
    const Manifest& manifest, const ComponentIdentity& identity) const {
  if (!manifest.service_annotations) return nullptr;
  std::map<std::string, std::string> flags;  // by the variable that stands for each
  for (const Option& option : manifest.options) {
    if (!option.environment.empty()) flags.emplace(option.environment, option.name);
  }
  EnvironmentValue environment = [flags = std::move(flags),
                                  &source = deps.flags](const std::string& name) {
    const auto flag = flags.find(name);
    if (flag != flags.end()) return source.flag(flag->second).value_or("");
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::string() : std::string(value);
  };
  return std::make_shared<AnnotationWarnings>(*manifest.service_annotations, std::move(environment),
                                              noting_warnings(identity), identity.name);
}

// A dry run's writes to Kubernetes get as far as deps.object_api, although the gate is shut.
std::function<bool()> PluginHost::Impl::may_write() const {
  if (deps.withheld != nullptr) return [] { return true; };
  return [gate = deps.write_gate] { return gate->open(); };
}

void PluginHost::Impl::add_services(ComponentUnit& unit) {
  const std::shared_ptr<LiveComponent>& live = unit.live;
  unit.host = std::make_shared<ComponentHost>(live->identity().nonblocking);
  keep_for_ever(unit.host);  // a stray thread of the plugin may still call it
  ComponentHost& host = *unit.host;
  host.add(std::make_unique<LogService>(live));
  host.add(std::make_unique<CtxService>(live));
  host.add(std::make_unique<ObjectService>(live));
  host.add(std::make_unique<TimerService>(live));
  host.add(std::make_unique<PostService>(live));
  host.add(std::make_unique<WorkerService>(live));
  host.add(std::make_unique<MetricsService>(live, plugin_metrics));
  host.add(std::make_unique<ConfigService>(live, deps.flags, cloud_config, config_rejections,
                                           deps.recording));
  host.add(std::make_unique<LeaderService>(live, deps.leader));
  host.add(std::make_unique<EventService>(live, noting_warnings(live->identity())));
  host.add(std::make_unique<KubeService>(
      live, deps.cache, cloud.guard(deps.object_api(live->identity())), may_write()));
  HttpServiceOptions http;
  http.send = deps.send_http;
  http.budgets = &cloud.call_budgets();
  http.gate = deps.write_gate;
  http.withheld = deps.withheld;
  http.recording = deps.recording;
  if (deps.user_agent) http.user_agent = deps.user_agent(live->identity());
  http.observer = [this](const HttpCallRecord& call) { metrics.http(call); };
  if (deps.make_http_client) {
    host.add(std::make_unique<HttpClientService>(live, deps.make_http_client, http, files));
  }
  host.add(std::make_unique<HttpService>(live, std::move(http)));
  host.add(std::make_unique<FileService>(live, files, config_rejections));
  host.add(std::make_unique<CryptoService>(live));
  host.add(std::make_unique<HintService>(live, [this](const CloudHint& hint) { hinted(hint); }));
}

// Once for each plugin.
awaitable<Result<PluginHost::Impl::Unit>> PluginHost::Impl::open(const LoadedPlugin& plugin) {
  const auto known = opened.find(plugin.manifest.id);
  if (known != opened.end()) co_return known->second;
  Component whole;
  whole.name = plugin.manifest.id;
  auto unit = std::make_shared<ComponentUnit>();
  unit->live = std::make_shared<LiveComponent>(runtime, identity_of(plugin, whole));
  add_services(*unit);
  auto start = [unit, entry = plugin.plugin](std::function<void(Status)> done) {
    unit->live->open(*entry, unit->host->host(), std::move(done));
  };
  Status status = co_await await_callback<Status>(start);
  if (!status.ok()) {
    leaked = true;
    keep_for_ever(unit);
    co_return status;
  }
  opened.emplace(plugin.manifest.id, unit);
  for (const CacheRead& read : plugin.manifest.reads) {
    runtime::WatchSpec spec;
    spec.resource = read.resource;
    spec.fields = read.fields;
    Status watched = deps.events.watch(spec, {});
    if (!watched.ok()) co_return watched.with_context("\"reads\" of plugin " + plugin.manifest.id);
  }
  co_return unit;
}

awaitable<Status> PluginHost::Impl::create(ComponentKind kind, LoadedPlugin plugin,
                                           std::string name) {
  const Component* component = plugin.manifest.find(kind, name);
  if (component == nullptr) {
    co_return Status(Code::not_found, "plugin " + plugin.manifest.id + " has no " +
                                          std::string(to_string(kind)) + " called " + name);
  }
  if (kind == ComponentKind::provider ? provider != nullptr : find(component->name) != nullptr) {
    co_return Status(Code::already_exists, "component " + name + " was created before");
  }
  const auto shared = co_await open(plugin);
  if (!shared.ok()) co_return shared.status();
  auto unit = std::make_shared<ComponentUnit>();
  unit->kind = kind;
  unit->live = std::make_shared<LiveComponent>(runtime, identity_of(plugin, *component));
  add_services(*unit);
  if (kind == ComponentKind::controller) {
    unit->host->add(std::make_unique<SetupService>(unit->live, unit->port));
    unit->host->add(std::make_unique<QueueService>(unit->live, unit->port));
    cloud.add_services(*unit->host, unit->live);
  }
  auto start = [unit, self = (*shared)->live->shared(),
                entry = plugin.plugin](std::function<void(Status)> done) {
    unit->live->create(*entry, self, unit->host->host(), std::move(done));
  };
  Status created = co_await await_callback<Status>(start);
  if (!created.ok()) {
    leaked = true;
    keep_for_ever(unit);  // its state is unknown
    if (created.code() == Code::deadline_exceeded) unfinished.push_back(unit);
    co_return created;
  }
  if (kind == ComponentKind::provider) {
    provider = unit;
    annotation_warnings = annotation_warnings_of(plugin.manifest, unit->live->identity());
    provider_start.connect(unit->live);
  } else {
    controllers.push_back(unit);
  }
  co_return Status();
}

}  // namespace ccm::plugin
