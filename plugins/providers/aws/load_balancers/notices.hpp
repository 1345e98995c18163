// Warning Events about Services, each told once (AWS-155). [serial]
#pragma once

#include "options.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

class Notices {
 public:
  explicit Notices(Host& host) : host_(host) {}

  // Those that the Service has not been told before.
  void tell(const LoadBalancerService& service, const std::vector<Problem>& problems) {
    if (problems.empty()) return;
    std::set<std::string>& told = told_[service.uid];
    if (told.size() > kMostTexts) told.clear();
    for (const Problem& problem : problems) {
      if (!told.insert(problem.text).second) continue;
      host_.events.warning(service.object, problem.reason, problem.text);
    }
  }
  void forget(const LoadBalancerService& service) { told_.erase(service.uid); }

 private:
  static constexpr std::size_t kMostTexts = 64;  // of a Service: its users write some of them

  Host& host_;
  std::map<std::string, std::set<std::string>> told_;  // by the Service's UID
};

}  // namespace ccm::aws
