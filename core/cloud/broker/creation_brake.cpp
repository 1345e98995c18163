#include "cloud/broker/creation_brake.hpp"

#include "base/duration.hpp"
#include "base/log.hpp"
#include "plugin/brake_reasons.hpp"
#include "plugin/host_services/kube_service.hpp"

#include <algorithm>
#include <utility>

namespace ccm::cloud {

using std::chrono::milliseconds;

namespace {

// Tenants make namespaces, and each series costs memory here and in Prometheus.
constexpr std::size_t kMostNamespaces = 200;
constexpr const char* kOtherNamespaces = "others";
// A Service whose operations failed, and which nobody asks for any more.
constexpr std::chrono::hours kUnasked{1};
constexpr std::chrono::minutes kPause{5};

std::string allowed_id(const LoadBalancerService& service) {
  const kube::Object* object = plugin::object_of(service.object.get());
  if (object == nullptr) return {};
  const auto annotations = object->find("/metadata/annotations");
  return std::string(object->text(object->member(annotations, CreationBrake::kAllowAnnotation)));
}

std::string key_of_replaced(const LoadBalancerService& service) {
  return service.namespace_name + "/" + service.name;
}

}  // namespace

CreationBrake::CreationBrake(const runtime::Timers& timers, prometheus::Registry& registry,
                             milliseconds window)
    : timers_(timers),
      window_(window),
      lifecycle_(metrics::counters(registry, "ccm_load_balancer_lifecycle_total",
                                   "Load balancers of Services that were created, replaced by "
                                   "another one, or deleted, by the Services' namespace.")),
      held_(metrics::gauges(registry, "ccm_load_balancer_replacements_held",
                            "Services that get no other load balancer for now, since theirs was "
                            "replaced a while ago.")
                .Add({})) {}

std::size_t CreationBrake::recent(const Entry& entry) const {
  const TimePoint now = timers_.now();
  return static_cast<std::size_t>(std::count_if(entry.replaced.begin(), entry.replaced.end(),
                                                [&](TimePoint at) { return now - at < window_; }));
}

CreationBrake::Verdict CreationBrake::judge(const LoadBalancerService& service) const {
  const auto place = services_.find(service.uid);
  if (place == services_.end()) return Verdict::go;
  const std::size_t times = recent(place->second);
  if (times == 0 || allowed_id(service) == place->second.id) return Verdict::go;
  return times == 1 ? Verdict::look : Verdict::hold;
}

Status CreationBrake::held(const LoadBalancerService& service) {
  Entry& entry = services_.at(service.uid);
  if (!std::exchange(entry.held, true)) {
    log::error("A service gets no other load balancer for now",
               {{"service", key_of_replaced(service)},
                {"id", entry.id},
                {"replaced", entry.replaced.size()},
                {"window", window_}});
    tell_held();
  }
  const bool once = recent(entry) == 1;
  const TimePoint since = once ? entry.replaced.back() : entry.replaced.front();
  std::string text = "the load balancer of this Service was replaced ";
  text += once ? "less than " : "twice within ";
  text += short_duration(window_);
  text +=
      once ? " ago, by " + entry.id + ", which the cloud does not have" : ", last by " + entry.id;
  text +=
      "; another one is made when that time is over, or at once after: kubectl annotate service "
      "-n " +
      service.namespace_name + " " + service.name + " --overwrite " + kAllowAnnotation + "=" +
      entry.id;
  return Status(Code::failed_precondition, ErrorClass::waiting, std::move(text))
      .with_reason(std::string(plugin::kReplacementHeld))
      .with_retry_after(std::chrono::ceil<milliseconds>(since + window_ - timers_.now()));
}

void CreationBrake::answered(const LoadBalancerService& service, const std::string& before,
                             const Result<LoadBalancer>& outcome) {
  const LoadBalancer* made = outcome.ok() ? &*outcome : outcome.partial();
  if (made == nullptr || made->state == LoadBalancerState::foreign || made->id.empty()) return;
  const bool given = made->id == service.id || made->id == service.adopt_id;
  const bool another = made->id != before && !given;
  if (another) count(service.namespace_name, before.empty() ? "created" : "replaced");
  const bool replaced = another && !before.empty() && window_ > milliseconds(0);
  if (!replaced && outcome.ok() && !services_.contains(service.uid)) return;
  prune();
  Entry& entry = services_[service.uid];
  entry.id = made->id;
  entry.touched = timers_.now();
  if (replaced) {
    log::warning("A service has another load balancer now",
                 {{"service", key_of_replaced(service)}, {"id", made->id}, {"before", before}});
    if (entry.replaced.size() == 2) entry.replaced.erase(entry.replaced.begin());
    entry.replaced.push_back(timers_.now());
  }
  const bool was_held = std::exchange(entry.held, false);
  if (outcome.ok() && recent(entry) == 0) services_.erase(service.uid);
  if (was_held) tell_held();
}

std::string CreationBrake::made_by_failure(const std::string& uid) const {
  const auto place = services_.find(uid);
  return place == services_.end() ? std::string() : place->second.id;
}

void CreationBrake::removed(const LoadBalancerService& service, bool existed) {
  if (existed) count(service.namespace_name, "deleted");
  const auto place = services_.find(service.uid);
  if (place == services_.end()) return;
  services_.erase(place);
  tell_held();
}

void CreationBrake::count(const std::string& namespace_name, const char* event) {
  const bool own = namespaces_.contains(namespace_name) || namespaces_.size() < kMostNamespaces;
  if (own) namespaces_.insert(namespace_name);
  lifecycle_.Add({{"namespace", own ? namespace_name : kOtherNamespaces}, {"event", event}})
      .Increment();
}

std::size_t CreationBrake::held() const {
  return static_cast<std::size_t>(std::count_if(services_.begin(), services_.end(),
                                                [](const auto& one) { return one.second.held; }));
}

void CreationBrake::tell_held() { held_.Set(static_cast<double>(held())); }

void CreationBrake::prune() {
  const TimePoint now = timers_.now();
  if (services_.size() < prune_at_ && now - pruned_ < kPause) return;
  pruned_ = now;
  std::erase_if(services_, [&](const auto& one) {
    return recent(one.second) == 0 && now - one.second.touched > kUnasked;
  });
  prune_at_ = std::max<std::size_t>(2 * services_.size(), 64);
  tell_held();
}

}  // namespace ccm::cloud
