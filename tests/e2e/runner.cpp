#include "runner.hpp"

#include "resource_path.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"

#include <cstdlib>
#include <stdexcept>

namespace ccm::e2e {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kManager = "manager";
constexpr const char* kUninitialized = "node.cloudprovider.kubernetes.io/uninitialized";

void must(const support::KubeResponse& response, const std::string& what) {
  if (!response.ok()) throw std::runtime_error(what + ": " + response.http.body);
}

std::string join(const json& list) {
  std::string result;
  for (const json& item : list) result += (result.empty() ? "" : ",") + item.get<std::string>();
  return result;
}

// The proxy between the managers and the API server, if the scenario wants one.
std::unique_ptr<ApiProxy> make_proxy(const json& manager, World& world, const fs::path& folder) {
  if (!manager.value("proxy", false)) return nullptr;
  const auto upstream = support::read_kubeconfig(world.server().manager_kubeconfig());
  auto proxy = std::make_unique<ApiProxy>(upstream);
  const json kubeconfig = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", json::array({{{"name", "proxy"}, {"cluster", {{"server", proxy->server()}}}}})},
      {"users", json::array({{{"name", "manager"}, {"user", json::object()}}})},
      {"contexts", json::array({{{"name", "proxy"},
                                 {"context", {{"cluster", "proxy"}, {"user", "manager"}}}}})},
      {"current-context", "proxy"}};
  support::write_file(folder / "proxy.kubeconfig", kubeconfig.dump());
  return proxy;
}

// The values of ${NAME} in a scenario.
std::vector<std::pair<std::string, std::string>> names_for(const json& manager, World& world,
                                                           const fs::path& folder) {
  const fs::path kubeconfig = manager.value("proxy", false) ? folder / "proxy.kubeconfig"
                                                            : world.server().manager_kubeconfig();
  return {{"KUBECONFIG", kubeconfig.string()},
          {"SERVER", world.api().credentials().server},
          {"CLOUD_CONFIG", world.cloud().config().string()},
          {"FOLDER", folder.string()}};
}

// "arguments" replaces everything; otherwise the usual ones and then "flags".
std::vector<std::string> arguments_for(const json& manager, World& world, const fs::path& folder) {
  json result = json::array({"--kubeconfig=${KUBECONFIG}", "--cloud-provider=sandbox",
                             "--cloud-config=${CLOUD_CONFIG}", "--secure-port=0"});
  const json controllers = manager.value("controllers", json::array({"cloud-node-controller"}));
  result.push_back("--controllers=" + join(controllers));
  if (const char* more = std::getenv("CCM_MANAGER_FLAG")) result.push_back(more);
  for (const json& flag : manager.value("flags", json::array())) result.push_back(flag);
  result = manager.value("arguments", result);
  return substitute(result, names_for(manager, world, folder)).get<std::vector<std::string>>();
}

// The usual rights name the usual Lease. For another one they have to be granted.
void give_rights_for_lease(const json& manager, World& world, const fs::path& folder) {
  std::vector<std::string> arguments{"--cloud-provider=sandbox", "--name=another-lease"};
  for (const json& flag : manager.value("flags", json::array())) {
    const std::string text = flag.get<std::string>();
    if (text.starts_with("--leader-elect-resource-n")) arguments.push_back(text);
  }
  if (arguments.size() == 2 || world.server().kind() == support::ServerKind::kSandbox) return;
  world.server().manager_kubeconfig();  // the usual rights come first
  world.server().give_rights(support::printed_rights(arguments, folder));
}

}  // namespace

Runner::Runner(World& world, Scenario scenario, const fs::path& folder)
    : world_(world),
      scenario_(std::move(scenario)),
      folder_(folder),
      proxy_(make_proxy(scenario_.manager, world, folder)),
      managers_(arguments_for(scenario_.manager, world, folder), folder),
      expectations_(world_, managers_, proxy_.get(), memory_) {
  give_rights_for_lease(scenario_.manager, world, folder);
  const auto names = names_for(scenario_.manager, world, folder);
  scenario_.steps = substitute(scenario_.steps, names);
  const json files = substitute(scenario_.files, names);
  for (const auto& [name, content] : files.items()) {
    support::write_file(folder / name, content.get<std::string>());
  }
}

void Runner::run() {
  prepare();
  for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
    try {
      run_step(scenario_.steps[i]);
    } catch (const std::exception& error) {
      throw std::runtime_error("step " + std::to_string(i + 1) + " (" +
                               scenario_.steps[i].begin().key() + "): " + error.what());
    }
  }
}

void Runner::prepare() {
  world_.clean();
  if (scenario_.cloud.contains("generate")) {
    world_.cloud().control("POST", "/machines/generate", scenario_.cloud.at("generate"));
  }
  for (const json& machine : scenario_.cloud.value("machines", json::array())) {
    cloud({{"put", machine}});
  }
  for (const json& balancer : scenario_.cloud.value("loadBalancers", json::array())) {
    cloud({{"putLoadBalancer", balancer}});
  }
  for (const json& route : scenario_.cloud.value("routes", json::array())) {
    cloud({{"putRoute", route}});
  }
  if (scenario_.cloud.contains("settings")) cloud({{"settings", scenario_.cloud.at("settings")}});
  if (scenario_.cloud.contains("faults")) cloud({{"faults", scenario_.cloud.at("faults")}});
  for (const json& object : expand(scenario_.objects)) create(object);
  world_.cloud().control("DELETE", "/calls");
  if (scenario_.manager.value("start", true)) managers_.start(kManager);
}

void Runner::run_step(const json& step) {
  const std::string verb = step.begin().key();
  const json& what = step.begin().value();
  if (verb == "create") return create(what);
  if (verb == "patch") return patch(what);
  if (verb == "delete") return remove(what);
  if (verb == "cloud") return cloud(what);
  if (verb == "api") return api(what);
  if (verb == "manager") return manager(what);
  if (verb == "remember") return remember(what);
  if (verb == "mark") return mark(what);
  if (verb == "expect") return expect(what);
  if (verb == "check") return check(what);
  if (verb == "settle") return settle(what);
  if (verb == "file") return file(what);
  throw std::runtime_error("there is no such step");
}

void Runner::create(const json& entry) {
  for (const json& object : expand(json::array({entry}))) {
    const std::string path = object_path(object);
    must(world_.api().create(collection_path(object), object), "create " + path);
    if (!object.contains("status")) continue;
    must(world_.api().patch(path + "/status", support::kMergePatch,
                            {{"status", object.at("status")}}),
         "status of " + path);
  }
}

void Runner::patch(const json& what) {
  std::string path = object_path(what.at("object").get<std::string>());
  if (what.contains("subresource")) path += "/" + what.at("subresource").get<std::string>();
  if (what.contains("merge")) {
    must(world_.api().patch(path, support::kMergePatch, what.at("merge")), "patch " + path);
  } else if (what.contains("strategic")) {
    must(world_.api().patch(path, support::kStrategicPatch, what.at("strategic")), "patch " + path);
  } else {
    must(world_.api().patch(path, support::kJsonPatch, what.at("json")), "patch " + path);
  }
}

void Runner::remove(const json& reference) {
  const std::string path = object_path(reference.get<std::string>());
  must(world_.api().remove(path), "delete " + path);
}

void Runner::cloud(const json& what) {
  for (const auto& [verb, operand] : what.items()) {
    if (verb == "put") {
      put("/machines/", operand);
    } else if (verb == "putLoadBalancer") {
      put("/load_balancers/", operand);
    } else if (verb == "putRoute") {
      put("/routes/", operand);
    } else if (verb == "activateLoadBalancer") {
      world_.cloud().control("POST", "/load_balancers/" + operand.get<std::string>() + "/activate");
    } else if (verb == "deleteLoadBalancer") {
      world_.cloud().control("DELETE", "/load_balancers/" + operand.get<std::string>());
    } else if (verb == "deleteRoute") {
      world_.cloud().control("DELETE", "/routes/" + operand.get<std::string>());
    } else if (verb == "settings") {
      world_.cloud().control("PUT", "/settings", operand);
    } else if (verb == "stop" || verb == "start" || verb == "terminate") {
      world_.cloud().control("POST", "/machines/" + operand.get<std::string>() + "/" + verb);
    } else if (verb == "delete") {
      world_.cloud().control("DELETE", "/machines/" + operand.get<std::string>());
    } else if (verb == "faults") {
      world_.cloud().control("PUT", "/faults", operand);
    } else if (verb == "token") {
      world_.cloud().control("PUT", "/token", {{"token", operand}});
    } else if (verb == "forgetCalls") {
      world_.cloud().control("DELETE", "/calls");
    } else {
      throw std::runtime_error("the cloud cannot \"" + verb + "\"");
    }
  }
}

// Something of the cloud with its "id".
void Runner::put(const std::string& collection, const json& what) {
  json members = what;
  members.erase("id");
  world_.cloud().control("PUT", collection + what.at("id").get<std::string>(), members);
}

void Runner::api(const json& what) {
  if (!proxy_) throw std::runtime_error("manager needs \"proxy: true\" for this");
  for (const auto& [verb, operand] : what.items()) {
    if (verb == "away") {
      proxy_->away();
    } else if (verb == "back") {
      proxy_->back();
    } else if (verb == "fault") {
      ProxyFault fault;
      fault.method = operand.value("method", "");
      fault.target = operand.value("target", "");
      fault.status = operand.value("status", 0);
      fault.retry_after = operand.value("retryAfter", "");
      fault.lose_answer = operand.value("loseAnswer", false);
      fault.delay = std::chrono::milliseconds(operand.value("delay", 0));
      fault.count = operand.value("count", -1);
      proxy_->add(std::move(fault));
    } else if (verb == "clear") {
      proxy_->clear();
    } else if (verb == "cutWatches") {
      proxy_->cut_watches();
    } else if (verb == "expireWatches") {
      proxy_->expire_watches();
    } else if (verb == "inject") {
      proxy_->inject(operand);
    } else {
      throw std::runtime_error("the API server cannot \"" + verb + "\"");
    }
  }
}

void Runner::manager(const json& what) {
  for (const auto& [verb, name] : what.items()) {
    if (verb == "flags") continue;  // of the start beside it
    if (verb == "start") {
      managers_.start(name, what.value("flags", std::vector<std::string>()));
    } else if (verb == "stop") {
      managers_.stop(name);
    } else if (verb == "kill") {
      managers_.kill(name);
    } else if (verb == "pause") {
      managers_.pause(name);
    } else if (verb == "resume") {
      managers_.resume(name);
    } else if (verb == "restart") {
      managers_.stop(name);
      managers_.start(name);
    } else {
      throw std::runtime_error("a manager cannot be told to \"" + verb + "\"");
    }
  }
}

void Runner::remember(const json& what) {
  const std::string path = object_path(what.at("object").get<std::string>());
  const support::KubeResponse response = world_.api().get(path);
  must(response, path);
  memory_[what.at("as")] = response.body.at(json::json_pointer(what.at("field")));
}

// Renamed over the old one: nobody reads half of it.
void Runner::file(const json& what) {
  for (const auto& [name, content] : what.items()) {
    const fs::path made = folder_ / (name + ".new");
    support::write_file(made, content.get<std::string>());
    fs::rename(made, folder_ / name);
  }
}

void Runner::mark(const json& name) { memory_[name] = seconds_now(); }

void Runner::expect(const json& what) {
  const bool limited = what.is_object();
  const auto timeout =
      limited ? std::chrono::milliseconds(static_cast<int>(what.at("seconds").get<double>() * 1000))
              : support::patience();
  await(limited ? what.at("that") : what, timeout);
}

void Runner::check(const json& statements) {
  const std::string problems = expectations_.problems(statements);
  if (!problems.empty()) throw std::runtime_error("does not hold:\n" + problems);
}

void Runner::await(const json& statements, std::chrono::milliseconds timeout) {
  std::string problems;
  const bool held = support::eventually(timeout, [&] {
    problems = expectations_.problems(statements);
    return problems.empty();
  });
  if (!held) {
    throw std::runtime_error("not within " + std::to_string(timeout.count()) + " ms:\n" + problems);
  }
}

void Runner::settle(const json& what) {
  if (what == "nodes") {
    settle_nodes();
  } else if (what == "addresses") {
    settle_addresses();
  } else if (what == "services") {
    settle_services();
  } else {
    throw std::runtime_error("what settles is nodes, addresses or services");
  }
}

// A node that joins now and is initialised proves that the manager has gone on with its queue.
void Runner::settle_nodes() { remove_marker(create_marker()); }

// The addresses of a marker follow its machine three times: the pass that wrote the second began
// and ended within this step, and so looked at every other node.
void Runner::settle_addresses() {
  const std::string name = create_marker();
  for (int i = 1; i <= 3; ++i) {
    const json addresses =
        json::array({{{"type", "InternalIP"}, {"address", "198.51.100." + std::to_string(i)}}});
    cloud({{"put", {{"id", name}, {"name", name}, {"addresses", addresses}}}});
    await(json::array({{{"object",
                         {{"kind", "Node"},
                          {"metadata", {{"name", name}}},
                          {"status", {{"addresses", addresses}}}}}}}),
          support::patience());
  }
  remove_marker(name);
}

// A Service that is made now gets its load balancer and is taken away again.
void Runner::settle_services() {
  const std::string name = "settled-" + std::to_string(++markers_);
  const json ports = json::array({{{"port", 80}}});
  create({{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec", {{"type", "LoadBalancer"}, {"ports", ports}}}});
  const json address = {{"loadBalancer", {{"ingress", {{"$present", true}}}}}};
  await(
      json::array({{{"object",
                     {{"kind", "Service"}, {"metadata", {{"name", name}}}, {"status", address}}}}}),
      support::patience());
  remove("Service/" + name);
  await(json::array({{{"missing", "Service/" + name}}}), support::patience());
}

std::string Runner::create_marker() {
  const std::string name = "settled-" + std::to_string(++markers_);
  // No host name: the addresses of a marker are those of its machine and nothing else.
  const json addresses = json::array({{{"type", "InternalIP"}, {"address", "198.51.100.0"}}});
  cloud({{"put", {{"id", name}, {"name", name}, {"addresses", addresses}}}});
  const json taint = {{"key", kUninitialized}, {"value", "true"}, {"effect", "NoSchedule"}};
  create({{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", name}}},
          {"spec", {{"taints", json::array({taint})}}}});
  await(json::array({{{"object",
                       {{"kind", "Node"},
                        {"metadata", {{"name", name}}},
                        {"spec", {{"taints", {{"$absent", true}}}}}}}}}),
        support::patience());
  return name;
}

void Runner::remove_marker(const std::string& name) {
  remove("Node/" + name);
  cloud({{"delete", name}});
}

}  // namespace ccm::e2e
