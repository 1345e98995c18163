// ccm::Notices: Warning Events about Services, each told once for a Service. [serial]
#pragma once

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>

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

  // Tells the Service, by Events, the problems that it has not been told before.
  void tell(const LoadBalancerService& service, const std::vector<Problem>& problems) {
    if (problems.empty()) return;
    std::set<std::string>& told = told_[service.uid];
    if (told.size() > kMostTexts) told.clear();
    for (const Problem& problem : problems) {
      if (!told.insert(problem.text).second) continue;
      host_.events.warning(service.object, problem.reason, problem.text);
    }
  }
  // The Service is gone: its texts are not kept.
  void forget(const LoadBalancerService& service) { told_.erase(service.uid); }

 private:
  static constexpr std::size_t kMostTexts = 64;  // of a Service: its users write some of them

  Host& host_;
  std::map<std::string, std::set<std::string>> told_;  // by the Service's UID
};

}  // namespace ccm
