// The role of the instance, by its metadata service (AWS-29).
#pragma once

#include "aws/api/imds.hpp"
#include "source.hpp"

namespace ccm::aws {

class InstanceKeys : public KeySource {
 public:
  InstanceKeys(Host& host, Imds& imds) : host_(host), imds_(imds) {}

  Task<Result<Keys>> fetch(Ctx ctx) override;
  [[nodiscard]] std::string description() const override { return "instance metadata"; }
  [[nodiscard]] bool outlives_expiry() const override { return true; }

 private:
  Host& host_;
  Imds& imds_;
};

}  // namespace ccm::aws
