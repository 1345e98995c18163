// AWS's APIs for the contract: the server of services.py, which CCM_AWS names, or the fake.
#pragma once

#include "aws_api/world.hpp"

#include <ccm/http.hpp>
#include <ccm/testing/fake_host.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ccm::aws {

class Apis {
 public:
  virtual ~Apis() = default;
  virtual testing::FakeHttp::Answer answer(const HttpRequest& request) = 0;
  // Requests that Amazon's description or a signature refuses, one each. The fake has none.
  virtual std::vector<std::string> violations() { return {}; }
  // Whether time has to be the real one.
  [[nodiscard]] virtual bool real() const { return false; }

  std::string url = "http://aws";  // which calls are signed for
  std::string access_key_id = "AKIDTEST";
  std::string secret_access_key = "secret";
  aws_api::Names names;
};

// `now`: the fake's time.
std::unique_ptr<Apis> apis_of_the_environment(std::function<std::chrono::milliseconds()> now);

}  // namespace ccm::aws
