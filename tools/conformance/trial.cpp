#include "trial.hpp"

#include "controller/machines.hpp"
#include "controller/world.hpp"

#include <fmt/format.h>

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

}  // namespace ccm::conformance
