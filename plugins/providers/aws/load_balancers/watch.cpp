#include "watch.hpp"

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kWatchPause{15'000};
constexpr int kRoundsForInstances = 4;  // a minute

}  // namespace

void Watch::until_active(const LoadBalancerService& service, const NetworkBalancer& balancer) {
  if (balancer.state != "provisioning") return;
  provisioning_[balancer.name] = {service.object, {service.namespace_name, service.name}};
  start();
}

void Watch::until_running(const LoadBalancerService& service,
                          const std::set<std::string>& instances) {
  for (const std::string& id : instances) {
    idle_[id].emplace(service.namespace_name, service.name);
  }
  if (!instances.empty()) start();
}

void Watch::forget(const LoadBalancerService& service) {
  const Key key{service.namespace_name, service.name};
  std::erase_if(provisioning_, [&](const auto& entry) { return entry.second.key == key; });
  for (auto& [id, services] : idle_) services.erase(key);
  std::erase_if(idle_, [](const auto& entry) { return entry.second.empty(); });
}

void Watch::start() {
  if (running_) return;
  running_ = true;
  host_.spawn(run());
}

Task<Status> Watch::run() {
  int round = 0;
  while (!provisioning_.empty() || !idle_.empty()) {
    Ctx ctx = host_.background();
    Status slept = co_await host_.timer.sleep(ctx, kWatchPause);
    if (!slept.ok()) break;
    Ctx limited = ctx.with_timeout(kWatchPause);
    Status looked;
    if (!provisioning_.empty()) looked = co_await look_at_balancers(limited);
    if (++round % kRoundsForInstances == 0 && !idle_.empty()) {
      looked = co_await look_at_instances(limited);
    }
    if (!looked.ok()) host_.log.debug("The cloud did not say what it does", {{"err", looked}});
  }
  running_ = false;
  co_return Status();
}

Task<Status> Watch::look_at_balancers(Ctx ctx) {
  const auto all = co_await elbv2_.list(ctx, kWatchPause / 2);
  if (!all.ok()) co_return all.status();
  std::erase_if(provisioning_, [&](const auto& entry) {
    const NetworkBalancer* balancer = (*all)->find(entry.first);
    if (balancer == nullptr) return true;
    if (balancer->state == "provisioning") return false;
    if (balancer->state == "failed") {
      host_.events.warning(entry.second.service, "LoadBalancerFailed",
                           "AWS could not provision the Network Load Balancer " + entry.first);
    } else {
      host_.events.normal(entry.second.service, "LoadBalancerActive",
                          "The Network Load Balancer " + entry.first + " serves");
    }
    return true;
  });
  co_return Status();
}

Task<Status> Watch::look_at_instances(Ctx ctx) {
  std::vector<std::string> ids;
  for (const auto& [id, services] : idle_) ids.push_back(id);
  const auto found = co_await instances_.by_ids(ctx, std::move(ids), kWatchPause);
  if (!found.ok()) co_return found.status();
  std::erase_if(idle_, [&](const auto& entry) {
    const auto instance = found->find(entry.first);
    if (instance == found->end() || instance->second.state == "terminated") return true;
    if (instance->second.state != "running") return false;
    for (const Key& key : entry.second) host_.hints.load_balancer_changed(key.first, key.second);
    return true;
  });
  co_return Status();
}

}  // namespace ccm::aws
