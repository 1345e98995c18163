#include "provider.hpp"

#include "config/cloud_conf.hpp"
#include "config/cloud_files.hpp"
#include "config/invalid_configuration.hpp"
#include "identity/http_client.hpp"
#include "unsupported.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace ccm::openstack {
namespace {

// After a log-in with new settings that Keystone did not answer.
constexpr std::chrono::milliseconds kTryAgain{30'000};

// OS-5: the values of --user-agent, the last one first.
std::string agent_of(const Config& config) {
  std::string agent = "openstack-cloud-controller-manager/" CCM_OPENSTACK_VERSION;
  std::string_view values = config.flag("user-agent").value_or("");
  while (!values.empty()) {
    const std::string_view value = values.substr(0, values.find(','));
    values.remove_prefix(std::min(value.size() + 1, values.size()));
    if (!value.empty()) agent = std::string(value) + " " + agent;
  }
  return agent;
}

}  // namespace

Provider::Provider(Host& host)
    : host_(host),
      session_(host, agent_of(host.config)),
      api_(session_),
      regions_(host, session_),
      routes_(host, api_),
      load_balancers_(host, api_),
      owned_(host, api_, load_balancers_, routes_) {
  host.config.on_change([this] { host_.spawn(reload()); });
}

Task<Result<Settings>> Provider::read_settings(Ctx ctx) {
  const auto text = host_.config.cloud_config();
  if (!text) co_return invalid_configuration("--cloud-config is missing: the path of cloud.conf");
  auto conf = read_cloud_conf(*text);
  if (!conf.ok()) co_return conf.status().with_context("--cloud-config");
  GlobalSettings& global = conf->settings.global;
  if (wants_clouds(global)) {
    auto files = co_await read_cloud_files(host_, std::move(ctx), global.clouds_file);
    if (!files.ok()) co_return files.status().with_context("--cloud-config");
    watch(files->paths);
    const char* os_cloud = std::getenv("OS_CLOUD");
    auto merged =
        with_cloud(global, files->texts, os_cloud == nullptr ? "" : os_cloud, conf->warnings);
    if (!merged.ok()) co_return merged.status().with_context("--cloud-config");
    global = *std::move(merged);
  }
  // Before the log-in is judged: what it lacks is often there under a misspelt name.
  for (const std::string& warning : conf->warnings) {
    host_.log.warning("A setting of --cloud-config needs attention", {{"reason", warning}});
  }
  if (Status status = refuse_unsupported(global); !status.ok()) {
    co_return status.with_context("--cloud-config");
  }
  if (const auto login = login_request(global); !login.ok()) {
    co_return login.status().with_context("--cloud-config");
  }
  co_return std::move(conf->settings);
}

void Provider::watch(const std::vector<std::string>& paths) {
  if (paths == watched_paths_) return;
  watched_paths_ = paths;
  for (const uint64_t registration : watches_) host_.files.unwatch(registration);
  watches_.clear();
  for (const std::string& path : paths) {
    watches_.push_back(host_.files.watch(path, [this] { host_.spawn(reload()); }));
  }
}

Task<Status> Provider::use(Ctx ctx, Settings settings) {
  const int64_t asked = ++asked_;
  auto http = co_await open_http_client(host_, std::move(ctx), settings.global);
  if (!http.ok()) co_return http.status().with_context("--cloud-config");
  if (asked != asked_) co_return Status();  // a newer one was given meanwhile
  settings_ = std::move(settings);
  const bool regional = host_.config.flag("openstack-regional-provider-ids") == "true";
  session_.configure(settings_.global, settings_.metadata.request_timeout, *http);
  regions_.configure(settings_.global, settings_.networking, regional);
  routes_.configure(settings_.route.router_id);
  load_balancers_.configure(settings_.load_balancer, settings_.load_balancer_classes);
  co_return Status();
}

Task<Status> Provider::try_out(Ctx ctx, const Settings& settings) {
  auto http = co_await open_http_client(host_, ctx, settings.global);
  if (!http.ok()) co_return http.status().with_context("--cloud-config");
  Session session(host_, agent_of(host_.config));
  session.configure(settings.global, settings.metadata.request_timeout, *http);
  Status taken = co_await session.check(ctx);
  co_return taken;
}

// The Go manager wants to be restarted (OS-54).
Task<Status> Provider::reload() {
  const int64_t reload = ++reloads_;
  auto settings = co_await read_settings(host_.background());
  if (reload != reloads_) co_return Status();  // it has changed again
  if (settings.ok() && *settings == settings_) co_return Status();
  Status used = settings.status();
  while (used.ok() && settings->global != settings_.global) {
    used = co_await try_out(host_.background(), *settings);
    if (reload != reloads_ || used.ok()) break;
    if (used.error_class() != ErrorClass::unavailable) break;
    host_.log.warning("The new --cloud-config waits for Keystone; the old one stays in force",
                      {{"err", used}});
    Status slept = co_await host_.timer.sleep(host_.background(), kTryAgain);
    if (!slept.ok()) co_return slept;
    if (reload != reloads_) co_return Status();
    used = Status();
  }
  if (reload != reloads_) co_return Status();
  if (used.ok()) used = co_await use(host_.background(), *settings);
  if (!used.ok()) {
    host_.log.error("The new --cloud-config cannot be used; the old one stays in force",
                    {{"err", used}});
    host_.config.rejected(used.message());
  } else {
    host_.log.info("The new --cloud-config is in force");
  }
  co_return Status();
}

Task<Status> Provider::initialize(Ctx ctx) {
  auto settings = co_await read_settings(ctx);
  if (!settings.ok()) co_return settings.status();
  Status used = co_await use(ctx, *settings);
  if (!used.ok()) co_return used;
  Status found = co_await regions_.find_services(ctx);
  if (!found.ok()) co_return found;
  Status answered = co_await regions_.check(ctx);
  if (answered.ok()) answered = co_await look_for_octavia(ctx);
  co_return answered;
}

// A catalog without it is no failure: Nodes and routes need none (OS-9).
Task<Status> Provider::look_for_octavia(Ctx ctx) {
  octavia_ = false;
  if (!settings_.load_balancer.enabled) co_return Status();
  Status found = co_await api_.find_service(ctx, "load-balancer");
  octavia_ = found.ok();
  if (octavia_) tell_default_name();
  if (found.error_class() != ErrorClass::unsupported) co_return found;
  host_.log.warning("There are no load balancers", {{"err", found}});
  co_return Status();
}

// Names in the cloud have no room for more: they are the Go manager's, which has to find them.
void Provider::tell_default_name() const {
  constexpr std::string_view kDefault = "kubernetes";
  if (host_.config.flag("cluster-name").value_or(kDefault) != kDefault) return;
  host_.log.warning(
      "--cluster-name is the default: marks in the cloud that do not have the UID of kube-system, "
      "such as the Go manager's, cannot tell this cluster from another one of the project that "
      "has the default, too",
      {{"cluster", kDefault}});
}

bool Provider::offers(std::string_view id) const {
  if (id == CCM_CLOUD_ROUTES) return !settings_.route.router_id.empty();
  return id != CCM_CLOUD_LOADBALANCERS || octavia_;
}

}  // namespace ccm::openstack
