// The provider for the sandbox cloud.
#pragma once

#include "cloud_config.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <vector>

namespace sandbox {

// [serial]
class Provider {
 public:
  explicit Provider(ccm::Host& host) : host_(host) {}

  // Reads --cloud-config and asks for one machine, so that a wrong endpoint or token shows at once.
  ccm::Task<ccm::Status> initialize(ccm::Ctx ctx);
  ccm::Task<ccm::Status> health(ccm::Ctx ctx);
  ccm::Task<ccm::Result<std::vector<ccm::Instance>>> list(ccm::Ctx ctx);
  ccm::Task<ccm::Result<ccm::Instance>> get(ccm::Ctx ctx, ccm::NodeIdentity node);

 private:
  // The body of a 2xx answer; else a Status that says what to do (class) and the cloud's request
  // id.
  ccm::Task<ccm::Result<std::string>> call(ccm::Ctx ctx, std::string operation, std::string path);
  [[nodiscard]] ccm::Result<std::vector<ccm::Instance>> machines_of_file() const;
  ccm::Task<ccm::Result<ccm::Instance>> get_by_name(ccm::Ctx ctx, std::string name);

  ccm::Host& host_;
  CloudConfig config_;
};

}  // namespace sandbox
