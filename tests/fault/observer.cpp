#include "observer.hpp"

#include "support/watch_stream.hpp"

#include <cstdio>
#include <ctime>

namespace ccm::fault {

using nlohmann::json;

namespace {

constexpr const char* kLeaseWatch =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?fieldSelector=metadata.name="
    "cloud-controller-manager";

// MicroTime. All processes of a test read the same clock.
double seconds_of(const json& spec, const char* field) {
  std::tm parts{};
  int micros = 0;
  const std::string text = spec.value(field, "");
  if (std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d.%dZ", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &micros) != 7) {
    return 0;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return static_cast<double>(timegm(&parts)) + micros / 1e6;
}

std::string holder_of(const json& spec) {
  return spec.is_object() ? spec.value("holderIdentity", "") : "";
}

}  // namespace

Observer::Observer(Cluster& cluster) : cluster_(cluster) {
  threads_.emplace_back([this] { follow("/api/v1/nodes", &Observer::take_node); });
  threads_.emplace_back([this] { follow(kLeaseWatch, &Observer::take_lease); });
}

Observer::~Observer() {
  stopping_ = true;
  for (auto& thread : threads_) thread.join();
}

void Observer::follow(const std::string& target, void (Observer::*take)(const json& event)) {
  support::KubeClient api = cluster_.client();
  std::string version = api.get(target).resource_version();
  const std::string more = target.find('?') == std::string::npos ? "?" : "&";
  while (!stopping_) {
    support::WatchStream watch = api.watch(target + more + "watch=true&resourceVersion=" + version);
    while (!stopping_) {
      const auto event = watch.next(std::chrono::milliseconds(200));
      if (!event) {
        if (watch.finished()) break;
        continue;
      }
      version = event->at("object").at("metadata").at("resourceVersion");
      (this->*take)(*event);
    }
  }
}

void Observer::take_node(const json& event) {
  const std::string type = event.at("type");
  const std::string name = event.at("object").at("metadata").at("name");
  const std::lock_guard lock(mutex_);
  if (type == "DELETED") ++deleted_;
  if (type == "ADDED") writes_[name] = 0;
  if (type == "MODIFIED") ++writes_[name];
}

void Observer::take_lease(const json& event) {
  const json spec = event.at("object").at("spec");
  const std::lock_guard lock(mutex_);
  const std::string before = holder_of(last_lease_);
  const std::string now = holder_of(spec);
  if (before != now && !now.empty()) ++changes_;
  if (!before.empty() && !now.empty() && before != now) {
    // The holder may write until its renew deadline, counted from before its last renewal.
    const double gap = seconds_of(spec, "acquireTime") - seconds_of(last_lease_, "renewTime");
    const double lease = last_lease_.value("leaseDurationSeconds", 0);
    if (gap < lease - 0.05) {
      overlaps_.push_back(now + " took the Lease of " + before + " " + std::to_string(gap) +
                          " s after its last renewal");
    }
  }
  last_lease_ = spec;
}

std::map<std::string, int> Observer::writes() const {
  const std::lock_guard lock(mutex_);
  return writes_;
}

std::vector<std::string> Observer::overlaps() const {
  const std::lock_guard lock(mutex_);
  return overlaps_;
}

}  // namespace ccm::fault
