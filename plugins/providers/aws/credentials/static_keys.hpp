// Keys that stand in the environment: they never change.
#pragma once

#include "source.hpp"

#include <utility>

namespace ccm::aws {

class StaticKeys : public KeySource {
 public:
  StaticKeys(Keys keys, std::string description)
      : keys_(std::move(keys)), description_(std::move(description)) {}

  Task<Result<Keys>> fetch(Ctx /*ctx*/) override { co_return keys_; }
  [[nodiscard]] std::string description() const override { return description_; }

 private:
  const Keys keys_;
  const std::string description_;
};

}  // namespace ccm::aws
