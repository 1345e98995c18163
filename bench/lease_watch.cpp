#include "lease_watch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ccm::bench {

LeaseWatch::LeaseWatch(const Server& admin)
    : connection_(admin), thread_([this](const std::stop_token& stopped) {
        while (!stopped.stop_requested()) {
          look();
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
      }) {}

std::chrono::duration<double, std::milli> LeaseWatch::end() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  return longest_;
}

void LeaseWatch::look() {
  const auto leases = nlohmann::json::parse(
      connection_.send({"GET",
                        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?fieldSelector="
                        "metadata.name%3Dcloud-controller-manager",
                        "", ""}));
  if (leases.at("items").empty()) return;
  const std::string now = leases.at("items").at(0).at("spec").value("renewTime", "");
  if (now == last_) return;
  const bool known = !last_.empty();
  last_ = now;
  if (!known) return;
  const auto seen = Clock::now();
  if (renewed_) longest_ = std::max(longest_, seen - *renewed_);
  renewed_ = seen;
}

}  // namespace ccm::bench
