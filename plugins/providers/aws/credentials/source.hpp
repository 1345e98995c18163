// Where keys come from: one of the places that AWS's SDKs look at (AWS-27). [serial]
#pragma once

#include "keys.hpp"

#include <ccm/ctx.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace ccm::aws {

class KeySource {
 public:
  KeySource() = default;
  KeySource(const KeySource&) = delete;
  KeySource& operator=(const KeySource&) = delete;
  virtual ~KeySource() = default;

  // New keys, read or asked for now; complete() holds. Failures say which place failed and what to
  // do: unauthenticated when it refuses, unavailable when it does not answer, invalid_argument when
  // what stands there is wrong.
  virtual Task<Result<Keys>> fetch(Ctx ctx) = 0;
  // For logs: "instance metadata, role kops-nodes".
  [[nodiscard]] virtual std::string description() const = 0;
  // Keys that have ended are used on while none are to be had: those of the metadata service, which
  // AWS itself makes so (AWS-30).
  [[nodiscard]] virtual bool outlives_expiry() const { return false; }
  // What the last fetch gave is given for that long, also when AWS refused it: a program that fails
  // is not started by each call.
  [[nodiscard]] virtual std::chrono::milliseconds pause() const { return {}; }
};
using KeySourcePtr = std::unique_ptr<KeySource>;

}  // namespace ccm::aws
