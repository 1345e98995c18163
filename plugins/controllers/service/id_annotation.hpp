// The annotation of Services that has the id of their load balancer: the provider names it, or it
// is this project's. Asked for once. [serial]
#pragma once

#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace ccm::service {

class IdAnnotation {
 public:
  explicit IdAnnotation(Host& host) : host_(host), slot_(host.post, 1) {}

  // Before the first Service. Failure: the cloud does not answer.
  Task<Status> learn(Ctx ctx);
  // After learn() has succeeded.
  [[nodiscard]] const std::string& name() const { return *name_; }

 private:
  Host& host_;
  Semaphore slot_;
  Status failure_;  // of the last call
  std::chrono::milliseconds failed_{0};
  std::optional<std::string> name_;
};

}  // namespace ccm::service
