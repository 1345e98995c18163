// The role of the instance, by its metadata service (AWS-29).
#pragma once

#include "aws/api/imds.hpp"
#include "source.hpp"

namespace ccm::aws {

class InstanceKeys : public KeySource {
 public:
  explicit InstanceKeys(Imds& imds) : imds_(imds) {}

  Task<Result<Keys>> fetch(Ctx ctx) override;
  [[nodiscard]] std::string description() const override { return "instance metadata"; }
  [[nodiscard]] bool outlives_expiry() const override { return true; }

 private:
  Imds& imds_;
};

}  // namespace ccm::aws
