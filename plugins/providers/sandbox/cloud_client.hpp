// Calls to the sandbox cloud: its address, token and answers. [serial]
#pragma once

#include "cloud_config.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <string_view>

namespace sandbox {

class CloudClient {
 public:
  explicit CloudClient(ccm::Host& host) : host_(host) {}

  void configure(CloudConfig config) { config_ = std::move(config); }
  [[nodiscard]] const CloudConfig& config() const { return config_; }
  // A file replaces the cloud: it has machines and nothing else.
  [[nodiscard]] bool is_file() const { return !config_.machines_file.empty(); }

  // The body of a successful answer. Failures carry the operation and the cloud's request id.
  ccm::Task<ccm::Result<std::string>> get(ccm::Ctx ctx, std::string path, std::string operation);
  ccm::Task<ccm::Result<std::string>> send(ccm::Ctx ctx, std::string method, std::string path,
                                           std::string body, std::string operation);

 private:
  ccm::Host& host_;
  CloudConfig config_;
};

}  // namespace sandbox
