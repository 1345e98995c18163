// The metadata service of the instance that the program runs on, version 2 (AWS-29). [serial]
#pragma once

#include "aws/config/environment.hpp"

#include <ccm/host.hpp>
#include <ccm/http.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <string>

namespace ccm::aws {

class Imds {
 public:
  explicit Imds(Host& host) : host_(host) {}
  Imds(const Imds&) = delete;
  Imds& operator=(const Imds&) = delete;

  // Its address: AWS_EC2_METADATA_SERVICE_ENDPOINT, then `override_url` when not empty, then the
  // link-local one, of IPv6 with AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE=IPv6.
  // AWS_EC2_METADATA_DISABLED and AWS_EC2_METADATA_V1_DISABLED count. `http`: a client without
  // proxy.
  void configure(const Environment& environment, std::string override_url, Http http);

  // The text behind a path ("latest/meta-data/instance-id"), with a token that is kept for 5
  // minutes. Failures: failed_precondition when it is switched off; not_found when it knows no such
  // thing; unavailable when it does not answer, as in a pod without the host's network.
  Task<Result<std::string>> get(Ctx ctx, std::string path);

 private:
  Task<Result<std::string>> token(Ctx ctx);
  [[nodiscard]] HttpRequest request(std::string method, const std::string& path) const;

  Host& host_;
  Http http_;
  std::string url_;
  bool disabled_ = false;
  bool version_1_allowed_ = true;
  std::string token_;  // empty with token_ends_at_ in the future: version 1
  std::chrono::milliseconds token_ends_at_{0};
};

}  // namespace ccm::aws
