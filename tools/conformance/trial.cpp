#include "trial.hpp"

#include "controller/machines.hpp"
#include "controller/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <thread>
#include <utility>

namespace ccm::conformance {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr auto kRealTime = 2s;

// A controller finds these whenever it is made. Where FakeController plays the host it has its own.
void offer_services_of_controllers(testing::FakeHost& host) {
  static const ccm_host_queue queue{sizeof(queue), 0, [](void*, const ccm_queue_item*) {}};
  static const ccm_host_setup setup{sizeof(setup), 0, [](void*, const ccm_watch*) {},
                                    [](void*, const ccm_queue_options*) {},
                                    [](void*, ccm_str, int64_t) {}};
  host.offer(CCM_HOST_QUEUE, {nullptr, &queue});
  host.offer(CCM_HOST_SETUP, {nullptr, &setup});
}

constexpr uint64_t kUid = 0xffffffffU;  // the part of the seed that is in UIDs
constexpr int kRounds = 60;             // until a load balancer must be there, or gone

// When to come back, as the host would.
std::chrono::milliseconds pause_of(std::chrono::milliseconds asked) {
  return asked > 0ms ? asked : 5s;
}

json object_of(const Backend& backend) {
  json addresses = json::array();
  for (const NodeAddress& address : backend.addresses) {
    addresses.push_back({{"type", address.type}, {"address", address.address}});
  }
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", backend.name}, {"uid", "uid-of-" + backend.name}}},
          {"spec", {{"providerID", backend.provider_id}}},
          {"status", {{"addresses", addresses}}}};
}

json object_of(const LoadBalancerService& service) {
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata",
           {{"name", service.name},
            {"namespace", service.namespace_name},
            {"uid", service.uid},
            {"annotations", json::object()}}},
          {"spec",
           {{"type", "LoadBalancer"},
            {"ipFamilies", {"IPv4"}},
            {"ipFamilyPolicy", "SingleStack"},
            {"externalTrafficPolicy", "Cluster"},
            {"ports",
             {{{"name", "http"},
               {"protocol", "TCP"},
               {"port", service.ports.front().port},
               {"targetPort", 8080},
               {"nodePort", service.ports.front().node_port}}}}}}};
}

void name_by_uid(LoadBalancerService& service, std::string uid) {
  service.uid = std::move(uid);
  service.default_name = "a";
  for (const char c : service.uid) {
    if (c != '-' && service.default_name.size() < 32) service.default_name += c;
  }
}

}  // namespace

long count_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 1 : std::distance(begin(tasks), end(tasks));
}

namespace {

// As the headers and gRPC name it.
std::string name_of_code(Code code) {
  static constexpr const char* kNames[] = {"OK",
                                           "CANCELLED",
                                           "UNKNOWN",
                                           "INVALID_ARGUMENT",
                                           "DEADLINE_EXCEEDED",
                                           "NOT_FOUND",
                                           "ALREADY_EXISTS",
                                           "PERMISSION_DENIED",
                                           "RESOURCE_EXHAUSTED",
                                           "FAILED_PRECONDITION",
                                           "ABORTED",
                                           "OUT_OF_RANGE",
                                           "UNIMPLEMENTED",
                                           "INTERNAL",
                                           "UNAVAILABLE",
                                           "DATA_LOSS",
                                           "UNAUTHENTICATED"};
  static_assert(std::size(kNames) == CCM_CODE_UNAUTHENTICATED + 1);
  const auto number = static_cast<std::size_t>(code);
  if (number < std::size(kNames)) return kNames[number];
  if (code == Code::implemented_elsewhere) return "IMPLEMENTED_ELSEWHERE";
  return fmt::format("the unknown code {}", static_cast<int64_t>(code));
}

}  // namespace

std::string describe(const Status& status) {
  if (status.ok()) return "success";
  std::string text = name_of_code(status.code());
  const auto name = name_of(status.error_class());
  text += name.empty() ? std::string(", no class") : fmt::format(", class {}", name);
  if (!status.reason().empty()) text += fmt::format(", reason {}", status.reason());
  return text + fmt::format(": {}", status.message());
}

Trial::Trial(const Settings& the_settings)
    : cloud(the_settings.cloud_command, the_settings.messages),
      network(host, cloud),
      settings(the_settings) {
  // Threads of the plugin's own, such as Go's.
  host.loop.expect_other_threads([this] { return count_threads() > 1 + host.loop.busy(); });
  if (live()) network.go_live(settings.send);
  configure();
}

Trial::~Trial() = default;

void Trial::configure() {
  for (const auto& [name, value] : subject().flags) host.config.set_flag(name, value, false);
  if (cloud.there()) {
    const json answer =
        cloud.ask({{"do", "start"}, {"directory", settings.directory}, {"seed", settings.seed}});
    if (answer.is_null()) throw CloudFault("the cloud's command does not know \"start\"");
    started_ = answer;
    if (answer.contains("cloudConfig")) {
      host.config.set_cloud_config(answer["cloudConfig"].get<std::string>());
    }
    const json flags = answer.value("flags", json::object());
    for (const auto& [name, value] : flags.items()) host.config.set_flag(name, value);
    const json secrets = answer.value("secrets", json::object());
    for (const auto& [name, value] : secrets.items()) host.config.set_secret(name, value);
  }
  if (!subject().has_provider) offer_services_of_controllers(host);
  host.config.set_flag("cluster-name", cluster_name());
  host.kube.put("v1/namespaces",
                json{{"metadata", {{"name", "kube-system"}, {"uid", cluster_uid()}}}}.dump());
  for (const auto& [resource, fields] : subject().reads) host.kube.read(resource, fields);
  if (settings.cloud_config) host.config.set_cloud_config(*settings.cloud_config);
  for (const auto& [name, value] : settings.flags) host.config.set_flag(name, value);
}

testing::FakeComponent& Trial::created() {
  if (!made_) {
    made_ = true;
    try {
      if (subject().has_provider) {
        component_ =
            std::make_unique<testing::FakeComponent>(host, subject().plugin, subject().component);
      } else {
        set_host_flags(host);
        machines_of_controller_ = std::make_unique<Machines>(host);
        fill_cloud(host, *machines_of_controller_);
        host.offer(CCM_CLOUD_INSTANCES,
                   {machines_of_controller_.get(), machines_of_controller_->table()});
        controller_ =
            std::make_unique<testing::FakeController>(host, subject().plugin, subject().component);
      }
    } catch (...) {
      skip("`create` throws; see PLUGIN-01");
    }
    // `create` may complete from another thread.
    run_now([this] { return component() != nullptr && component()->created().ok(); });
  }
  if (component() == nullptr || !component()->created().ok()) {
    skip("the component cannot be made; see PLUGIN-01");
  }
  return *component();
}

testing::FakeComponent* Trial::component() {
  return controller_ ? &controller_->component : component_.get();
}

testing::FakeComponent& Trial::ready() {
  auto& component = created();
  if (!logged_in_ && offers(kInitialize)) {
    const Outcome outcome = run(kInitialize);
    if (!network.fault().empty()) skip(network.fault());
    if (!outcome.ok()) skip("initialize fails; see PROVIDER-01 (" + describe(outcome.status) + ")");
  }
  if (controller_ && !logged_in_) live_as_controller();
  logged_in_ = true;
  return component;
}

// Its outcome is the business of other cases.
void Trial::live_as_controller() {
  const auto table = component()->interface<ccm_controller>(CCM_CONTROLLER);
  const bool whole = table && table.get(&ccm_controller::setup) != nullptr &&
                     table.get(&ccm_controller::reconcile) != nullptr;
  if (!whole) return;
  try {
    if (!controller_->setup().ok()) return;
    for (const WorldObject& object : usual_objects()) {
      host.kube.put(object.resource, object.json.dump());
    }
    host.loop.run();
    host.kube.set_cache_follows(false);  // one that wakes itself by its writes comes to an end
    controller_->advance(10s);
    (void)controller_->stop();
  } catch (...) {
    skip("a function of the controller throws; see CONTROLLER-05");
  }
}

void Trial::destroy() {
  if (component() != nullptr) destroy(*component());
}

void Trial::destroy(testing::FakeComponent& component) {
  try {
    component.destroy();
  } catch (...) {
    skip("`destroy` throws; see PLUGIN-10");
  }
}

bool Trial::offers(const Method& method) { return method.offered(*this); }

void Trial::need(const Method& method) {
  if (method.interface != kInitialize.interface) ready();
  if (!offers(method)) {
    skip(fmt::format("the provider has no {} of {}", method.name, method.interface));
  }
}

void Trial::need_http() {
  if (host.http.requests().empty()) {
    skip("the plugin asks its cloud for nothing through " CCM_HOST_HTTP);
  }
}

testing::Pending<Outcome> Trial::begin(const Method& method, const Ctx& ctx, int number,
                                       Shape shape) {
  Call call = method.make(*this, number, shape);
  write_down(method, number);
  call.ctx = ctx;
  return created().start(method.name, std::move(call));
}

Outcome Trial::run(const Method& method, int number, Shape shape) {
  const Call call = method.make(*this, number, shape);
  write_down(method, number);
  return run(method.name, call, 30s);
}

Outcome Trial::run_well(const Method& method, int number) {
  Outcome outcome = run(method, number);
  if (!network.fault().empty()) skip(network.fault());
  if (!outcome.ok()) skip(fmt::format("{} fails ({})", method.name, describe(outcome.status)));
  if (!outcome.problems.empty()) {
    skip(fmt::format("the result of {} is broken: {}", method.name, outcome.problems.front()));
  }
  for (const Status& change : outcome.changes) {
    if (!change.ok()) skip(fmt::format("a change of {} fails ({})", method.name, describe(change)));
  }
  return outcome;
}

bool run_now(testing::FakeLoop& loop, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + kRealTime;
  for (;;) {
    loop.run();
    if (done()) return true;
    const bool others = loop.busy() > 0 || count_threads() > 1;
    if (!others || std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
}

std::vector<Machine> Trial::machines(std::size_t count) {
  if (machines_.size() < count) {
    const json added = try_to_ask({{"do", "add-machines"}, {"count", count - machines_.size()}});
    const json list = added.is_null() ? json::array() : added.at("machines");
    for (const json& machine : list) {
      machines_.push_back({machine.at("name"), machine.at("providerID")});
    }
  }
  if (machines_.size() < count && offers(kList)) {
    machines_.clear();
    const Outcome listed = run_well(kList);
    for (const Instance& machine : listed.machines.instances) {
      machines_.push_back({machine.name, machine.provider_id});
    }
  }
  if (machines_.size() < count) {
    skip(fmt::format("the cloud has fewer than {} instances, and its command does not add any",
                     count));
  }
  return {machines_.begin(), machines_.begin() + static_cast<std::ptrdiff_t>(count)};
}

json Trial::try_to_ask(const json& question) {
  json answer = cloud.ask(question);
  if (answer.is_object() && answer.contains("cloudConfig")) {
    host.config.change_cloud_config(answer["cloudConfig"].get<std::string>());
    host.loop.run();
  }
  return answer;
}

json Trial::ask(const json& question) {
  json answer = try_to_ask(question);
  if (!answer.is_null()) return answer;
  if (!cloud.there()) skip("needs --cloud");
  skip(fmt::format("the cloud's command cannot do \"{}\"", question.at("do").get<std::string>()));
}

json Trial::snapshot() {
  json answer = cloud.ask({{"do", "snapshot"}});
  return answer.is_null() ? answer : answer.value("snapshot", json());
}

json Trial::need_snapshot() { return ask({{"do", "snapshot"}}).at("snapshot"); }

std::optional<std::size_t> Trial::count_load_balancers() {
  const json answer = cloud.ask({{"do", "snapshot"}});
  if (answer.is_null() || !answer.contains("loadBalancers")) return std::nullopt;
  return answer["loadBalancers"].get<std::size_t>();
}

void Trial::watch_cloud() {
  network.restart();
  snapshot_ = snapshot();
  if (snapshot_.is_null() && host.http.requests().empty()) {
    skip("nobody can say what the plugin changes: it asks for nothing through " CCM_HOST_HTTP
         ", and the cloud's command has no snapshot");
  }
}

std::string Trial::changed() {
  std::string changes;
  for (const std::string& write : network.writes()) {
    if (!changes.empty()) changes += ", ";
    changes += write;
  }
  if (changes.empty() && !snapshot_.is_null() && snapshot() != snapshot_) {
    changes = "the cloud's content";
  }
  return changes;
}

std::string Trial::cluster_uid() const {
  return fmt::format("5eed0000-0000-4000-8000-{:012x}", live() ? settings.cluster_seed & kUid : 0);
}

// Before it is made, so that a crash leaves nothing that nobody knows of.
void Trial::write_down(const Method& method, int number) const {
  if (settings.ledger < 0) return;
  const char* kind = &method == &kEnsure     ? "load-balancer"
                     : &method == &kAddRoute ? "route"
                                             : nullptr;
  if (kind != nullptr) ::dprintf(settings.ledger, "%s %d\n", kind, number);
}

LoadBalancerService& Trial::service(int number) {
  const auto known = services_.find(number);
  if (known != services_.end()) return known->second;
  LoadBalancerService service;
  service.name = fmt::format("web-{}", number);
  service.namespace_name = cluster_name();
  if (live()) {
    name_by_uid(service,
                fmt::format("{:08x}-{:04x}-4000-8000-000000000000", settings.seed & kUid, number));
    service.default_name = settings.prefix + "-" + service.default_name.substr(1, 12);
  } else {
    name_by_uid(service,
                fmt::format("{:08x}-0000-4000-8000-{:012x}", number, settings.seed & kUid));
  }
  service.cluster_name = cluster_name();
  service.ports = {{"http", "TCP", "", 80, 30080 + number}};
  service.ip_families = {"IPv4"};
  service.object = host.objects.make(object_of(service).dump());
  return services_.emplace(number, std::move(service)).first->second;
}

void Trial::make_anew(int number) {
  LoadBalancerService& made = service(number);
  name_by_uid(made, fmt::format("{:08x}-0000-4000-9000-{:012x}", number, settings.seed & kUid));
  made.object = host.objects.make(object_of(made).dump());
}

Backends& Trial::backends() {
  if (!backends_) {
    std::vector<Machine> targets = {{"node-1", ""},
                                    {"node-2", ""}};  // of a provider without instances
    if (offers(kList) || offers(kDescribe) || offers(kGet) || cloud.there()) targets = machines(2);
    choose_backends(targets);
  }
  return *backends_;
}

void Trial::choose_backends(const std::vector<Machine>& targets) {
  std::vector<Backend> list;
  for (const Machine& machine : targets) {
    Backend backend;
    backend.name = machine.name;
    backend.provider_id = machine.provider_id;
    backend.addresses = {{"InternalIP", fmt::format("10.0.0.{}", 10 + list.size())}};
    list.push_back(std::move(backend));
  }
  if (offers(kList)) {
    const Outcome listed = run_well(kList);
    for (const Instance& machine : listed.machines.instances) {
      for (Backend& backend : list) {
        if (backend.provider_id == machine.provider_id) backend.addresses = machine.addresses;
      }
    }
  }
  for (Backend& backend : list) {
    const std::string object = object_of(backend).dump();
    host.kube.put("v1/nodes", object);
    backend.node = host.objects.make(object);
  }
  all_backends_ = Backends(std::move(list));
  backends_ = all_backends_;
}

Route Trial::route(int number) {
  Route route;
  const Backend& target = *backends().begin();
  // In a real network a range for measurements (RFC 2544), which leads nowhere else.
  route.destination_cidr = fmt::format("{}.{}.0/24", live() ? "198.18" : "10.244", number);
  route.name_hint = fmt::format("{}-{}-{}-0-24", target.name, live() ? "198-18" : "10-244", number);
  route.target_node = target.name;
  route.target_provider_id = target.provider_id;
  route.target_addresses = target.addresses;
  route.node = target.node;
  return route;
}

Outcome Trial::ensure_until_active(int number) {
  Outcome outcome;
  for (int round = 0; round < kRounds; ++round) {
    outcome = run(kEnsure, number);
    if (!network.fault().empty()) skip(network.fault());
    const LoadBalancer& balancer = outcome.balancer;
    if (!balancer.id.empty()) service(number).id = balancer.id;
    const bool waits = outcome.status.error_class() == ErrorClass::waiting;
    if (!outcome.ok() && !waits) return outcome;
    if (outcome.ok() && balancer.state != LoadBalancerState::pending &&
        balancer.state != LoadBalancerState::unknown) {
      return outcome;
    }
    host.loop.advance(pause_of(waits ? outcome.status.retry_after() : balancer.retry_after));
  }
  return outcome;
}

LoadBalancer Trial::ensured(int number) {
  need(kEnsure);
  const Outcome outcome = ensure_until_active(number);
  if (outcome.status.code() == Code::implemented_elsewhere) {
    skip("ensure says that another program does it: " + std::string(outcome.status.message()));
  }
  if (!outcome.ok() || !outcome.problems.empty() ||
      outcome.balancer.state != LoadBalancerState::active) {
    skip("ensure makes no load balancer; see LOADBALANCERS-01 (" + describe(outcome.status) + ")");
  }
  return outcome.balancer;
}

Status Trial::removed(int number) {
  Status status;
  for (int round = 0; round < kRounds; ++round) {
    status = run(kRemove, number).status;
    if (status.error_class() != ErrorClass::waiting) break;
    host.loop.advance(pause_of(status.retry_after()));
  }
  return status.error_class() == ErrorClass::not_found ? Status() : status;
}

Outcome Trial::run(const char* name, const Call& call, std::chrono::seconds limit) {
  Outcome outcome;
  for (int round = 0; round < kRounds; ++round) {
    Call again = call;
    again.ctx = host.contexts.make(limit);
    outcome = finish(created().start(name, std::move(again)));
    const auto waits = std::find_if(
        outcome.changes.begin(), outcome.changes.end(),
        [](const Status& change) { return change.error_class() == ErrorClass::waiting; });
    if (!outcome.ok() || waits == outcome.changes.end()) break;
    host.loop.advance(pause_of(waits->retry_after()));
  }
  return outcome;
}

std::vector<Route> Trial::listed_routes() { return run_well(kListRoutes).routes; }

}  // namespace ccm::conformance
