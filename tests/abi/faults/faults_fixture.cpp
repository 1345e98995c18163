#include "faults_fixture.hpp"

#include "../../unit/plugin/host_doubles.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <functional>
#include <utility>

namespace ccm::plugin_host {

using boost::asio::awaitable;

namespace {

struct NodeCache final : plugin::ObjectCache {
  [[nodiscard]] plugin::CacheState state(std::string_view) const override {
    return plugin::CacheState::synced;
  }
  [[nodiscard]] kube::ObjectPtr get(std::string_view, std::string_view,
                                    std::string_view) const override {
    return {};
  }
  [[nodiscard]] std::vector<kube::ObjectPtr> list(std::string_view resource,
                                                  std::string_view) const override {
    return resource == "v1/nodes" ? nodes : std::vector<kube::ObjectPtr>();
  }
  std::vector<kube::ObjectPtr> nodes;
};
// Routes may lead to the Pod ranges of the Nodes that add_node() makes.
struct ClusterFlags final : plugin::FlagSource {
  [[nodiscard]] bool given(std::string_view) const override { return false; }
  [[nodiscard]] std::optional<std::string> flag(std::string_view name) const override {
    if (name == "cluster-cidr") return "10.0.0.0/16";
    return std::nullopt;
  }
};
struct Source final : runtime::EventSource {
  Status watch(const runtime::WatchSpec&, kube::InformerHandler added) override {
    handlers.push_back(std::move(added));
    return {};
  }
  std::vector<kube::InformerHandler> handlers;
};
struct PatchedApi final : plugin::SilentApi {
  explicit PatchedApi(runtime::EventLoop& wanted) : loop(wanted) {}
  void send(plugin::ObjectRequest request, Done done) override {
    if (request.verb != plugin::ObjectRequest::Verb::patch) return;
    patched[request.name] = std::move(request.body);
    loop.post([done = std::move(done), name = std::move(request.name)] {
      done(std::string(R"({"metadata":{"name":")" + name + "\"}}"));
    });
  }
  runtime::EventLoop& loop;
  std::map<std::string, std::string> patched;
};

awaitable<Status> setup_of(PluginHost* host, std::string name) {
  const Result<bool> result = co_await host->setup_controller(std::move(name));
  co_return result.status();
}

}  // namespace

struct Faults::World {
  explicit World(const std::string& config_path) {
    PluginHostDependencies dependencies{{loop, timers, workers, metrics, flags, leader},
                                        {source, cache}};
    dependencies.cluster.object_api = [this](const plugin::ComponentIdentity&) { return api; };
    dependencies.cluster.record_event = [](const std::string&, const kube::ObjectReference&,
                                           kube::EventType, const std::string&,
                                           const std::string&) {};
    dependencies.cloud.send_http = [](const net::Request&, const auto& done) {
      done(Status(Code::unavailable, "there is no network"));
    };
    dependencies.cloud.config_path = config_path;
    dependencies.cluster.default_resync = 12h;
    host.emplace(std::move(dependencies));
  }

  runtime::ManualTimers timers;  // what waits at the loop's end still cancels timers
  runtime::EventLoop loop;
  runtime::WorkerPool workers;
  prometheus::Registry metrics;
  ClusterFlags flags;
  plugin::Leader leader;
  Source source;
  NodeCache cache;
  std::shared_ptr<PatchedApi> api = std::make_shared<PatchedApi>(loop);
  plugin_files::Loader loader;
  std::optional<PluginHost> host;
};

Faults::Faults() {
  log::Config config;
  config.verbosity = 4;
  EXPECT_TRUE(log::configure(config).ok());
  log::redirect([this](std::string_view line) {
    const std::lock_guard lock(log_mutex_);
    log_.append(line) += '\n';
  });
  start_over();
}

Faults::~Faults() {
  // A plugin that is never freed may use the loop and the clock for ever.
  if (world_ && testing::Test::HasFailure()) std::fputs(log().c_str(), stderr);
  tasks_.clear();
  world_.reset();
  log::redirect({});
}

void Faults::start_over() {
  host_ = nullptr;
  tasks_.clear();
  world_.reset();
  {
    const std::lock_guard lock(log_mutex_);
    log_.clear();
  }
  world_ = std::make_unique<World>(config_path());
  host_ = &*world_->host;
}

Result<plugin_files::LoadedPlugin> Faults::load(const std::string& name) {
  const auto [file, fault] = test::split_fault(name);
  if (!fault.empty()) ::setenv("FAULT", fault.c_str(), 1);
  // A name of its own each time: the images of earlier hosts stay mapped.
  const std::string copy = file + "-" + std::to_string(++files_) + ".so";
  return world_->loader.load(folder_.add(file, "providers/" + copy));
}

Status Faults::wait(awaitable<Status> call) {
  std::optional<Status> out;
  boost::asio::co_spawn(
      world_->loop.executor(), std::move(call),
      [&out](const std::exception_ptr&, Status status) { out = std::move(status); });
  poll_until([&] { return out.has_value(); });
  return out.value_or(Status(Code::unknown, "did not end"));
}

Status Faults::create_provider(const std::string& name) {
  const auto plugin = load(name);
  if (!plugin) return plugin.status();
  return wait(host_->create_provider(*plugin, plugin->manifest.components[0].name));
}

void Faults::begin_provider(const std::string& name, std::optional<Status>& created) {
  const auto plugin = load(name);
  ASSERT_TRUE(plugin.ok()) << plugin.status().message();
  boost::asio::co_spawn(
      world_->loop.executor(), host_->create_provider(*plugin, plugin->manifest.components[0].name),
      [&created](const std::exception_ptr&, Status status) { created = std::move(status); });
}

void Faults::begin_start(std::optional<Status>& started) {
  boost::asio::co_spawn(
      world_->loop.executor(), host_->start_provider(),
      [&started](const std::exception_ptr&, Status status) { started = std::move(status); });
}

void Faults::begin_controller(const std::string& name, std::optional<Status>& setup) {
  const auto plugin = load(name);
  ASSERT_TRUE(plugin.ok()) << plugin.status().message();
  const std::string component = plugin->manifest.components[0].name;
  const Status created = wait(host_->create_controller(*plugin, component));
  ASSERT_TRUE(created.ok()) << created.message();
  boost::asio::co_spawn(
      world_->loop.executor(), setup_of(host_, component),
      [&setup](const std::exception_ptr&, Status status) { setup = std::move(status); });
}

Status Faults::create_controller(const std::string& name) {
  std::optional<Status> setup;
  begin_controller(name, setup);
  poll_until([&] { return setup.has_value(); });
  return setup.value_or(Status(Code::unknown, "did not end"));
}

void Faults::load_healthy() {
  const Status healthy = create_controller("healthy");
  ASSERT_TRUE(healthy.ok()) << healthy.message();
  for (const auto& handler : world_->source.handlers) {
    if (handler.on_synced) handler.on_synced();
  }
  host_->start_controllers();
}

void Faults::with_provider(const std::string& name) {
  const Status created = create_provider(name);
  ASSERT_TRUE(created.ok()) << created.message();
  start_provider();
  load_healthy();
}

void Faults::start_provider() {
  const Status started = wait(host_->start_provider());
  ASSERT_TRUE(started.ok()) << started.message();
}

void Faults::with_controller(const std::string& name) {
  const Status setup = create_controller(name);
  ASSERT_TRUE(setup.ok()) << setup.message();
  load_healthy();
}

void Faults::add_node(const std::string& name) {
  // As the controller network_caller adds it.
  const std::string range = std::string("10.0.") + name.back() + ".0/24";
  const auto node = kube::Object::decode(R"({"metadata":{"name":")" + name +
                                         R"("},"spec":{"podCIDRs":[")" + range + "\"]}}");
  ASSERT_TRUE(node.ok());
  world_->loop.post([this, node = *node] {
    world_->cache.nodes.push_back(node);
    for (const auto& handler : world_->source.handlers) {
      if (handler.on_add) handler.on_add(node, true);
    }
  });
}

bool Faults::patched(const std::string& name) const { return world_->api->patched.count(name) > 0; }

void Faults::healthy_works() {
  const std::string name = "arriving-" + std::to_string(++nodes_);
  add_node(name);
  poll_until([&] { return patched(name); });
  EXPECT_TRUE(patched(name)) << "the healthy controller stands still";
  poll();
}

cloud::InstanceQuery Faults::query(const std::string& name, const std::string& provider_id) {
  cloud::InstanceQuery made;
  made.name = name;
  made.provider_id = provider_id;
  return made;
}

cloud::InstanceAnswer Faults::find(const std::string& name, const std::string& provider_id) {
  std::optional<cloud::InstanceAnswer> answer;
  tasks_(host_->cloud().instances()->find(query(name, provider_id)),
         [&](const cloud::InstanceAnswer& found) { answer = found; });
  poll_until([&] { return answer.has_value(); });
  cloud::InstanceAnswer none;
  none.status = Status(Code::aborted, "no answer came");
  return answer.value_or(none);
}

cloud::InstanceAnswer Faults::find_after(const std::string& name, std::chrono::milliseconds time,
                                         const std::string& provider_id) {
  std::optional<cloud::InstanceAnswer> answer;
  tasks_(host_->cloud().instances()->find(query(name, provider_id)),
         [&](const cloud::InstanceAnswer& found) { answer = found; });
  poll();
  EXPECT_FALSE(answer.has_value()) << "answered before its time";
  advance(time);
  poll_until([&] { return answer.has_value(); });
  cloud::InstanceAnswer none;
  none.status = Status(Code::aborted, "no answer came");
  return answer.value_or(none);
}

std::string Faults::provider_id_of(const cloud::InstanceAnswer& answer) {
  if (!answer.snapshot) return "nothing: " + answer.status.message();
  return std::string(answer.snapshot->provider_id(answer.index));
}

Status Faults::stop() {
  std::optional<Status> out;
  boost::asio::co_spawn(
      world_->loop.executor(), host_->stop(1s),
      [&out](const std::exception_ptr&, Status status) { out = std::move(status); });
  poll_until([&] {
    advance(100ms);
    return out.has_value();
  });
  return out.value_or(Status(Code::unknown, "did not end"));
}

ComponentReport Faults::report_of(const std::string& component) {
  for (const ComponentReport& report : host_->components()) {
    if (report.name == component) return report;
  }
  ADD_FAILURE() << "no component " << component;
  return {};
}

void Faults::poll() { world_->loop.poll(); }

void Faults::poll_for(std::chrono::milliseconds time) { world_->loop.run_for(time); }

void Faults::poll_until(const std::function<bool()>& reached) {
  const auto limit = std::chrono::steady_clock::now() + 60s;
  while (!reached() && std::chrono::steady_clock::now() < limit) {
    world_->loop.run_for(5ms);
    world_->timers.advance(0ms);
  }
  EXPECT_TRUE(reached()) << "waited in vain";
}

void Faults::advance(std::chrono::milliseconds step) {
  poll();
  world_->timers.advance(step);
  poll();
}

std::string Faults::log() {
  const std::lock_guard lock(log_mutex_);
  return log_;
}

std::size_t Faults::count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto place = text.find(part); place != std::string::npos;
       place = text.find(part, place + 1)) {
    ++found;
  }
  return found;
}

}  // namespace ccm::plugin_host
