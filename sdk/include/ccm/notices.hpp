// ccm::Notices: Warning Events about Services, each told once for a Service. [serial]
#pragma once

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm {

// What is wrong with a Service, or not done for it.
struct Problem {
  std::string reason;  // of the Event, in CamelCase
  std::string text;    // for people
};

class Notices {
 public:
  // `host` outlives it.
  explicit Notices(Host& host) : host_(host) {}

  // Tells the Service, by Events, the problems that it has not been told before; of many at once
  // the first 64, and how many more there are.
  void tell(const LoadBalancerService& service, const std::vector<Problem>& problems) {
    if (problems.empty()) return;
    std::set<std::string>& told = told_[service.uid];
    if (told.size() > kMostTexts) told.clear();
    const std::size_t looked_at = std::min(problems.size(), kMostAtOnce);
    for (std::size_t i = 0; i < looked_at; ++i) tell(service, problems[i], told);
    if (looked_at == problems.size()) return;
    tell(service,
         {problems[looked_at].reason, "Problems of this Service that are not told: " +
                                          std::to_string(problems.size() - looked_at)},
         told);
  }
  // The Service is gone: its texts are not kept.
  void forget(const LoadBalancerService& service) { told_.erase(service.uid); }

 private:
  // A Service's users write some of them: one annotation may have thousands of faults.
  static constexpr std::size_t kMostAtOnce = 64;
  static constexpr std::size_t kMostTexts = 2 * kMostAtOnce;

  void tell(const LoadBalancerService& service, const Problem& problem,
            std::set<std::string>& told) {
    if (!told.insert(problem.text).second) return;
    host_.events.warning(service.object, problem.reason, problem.text);
  }

  Host& host_;
  std::map<std::string, std::set<std::string>> told_;  // by the Service's UID
};

}  // namespace ccm
