// Keys of a profile in the shared files, or of the program that its credential_process names, both
// read again whenever AWS refused them: somebody rotated them. Also where those files are. [serial]
#pragma once

#include "aws/config/environment.hpp"
#include "aws/config/profiles.hpp"
#include "source.hpp"

#include <ccm/host.hpp>
#include <ccm/process.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace ccm::aws {

// AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE, by default in ~/.aws. A file that is not there
// counts as empty. Failures: invalid_argument as Profiles::parse; those of the host for files that
// cannot be read.
Task<Result<Profiles>> read_profiles(Host& host, Ctx ctx, const Environment& environment);

class FileKeys : public KeySource {
 public:
  FileKeys(Host& host, const Environment& environment, std::string profile)
      : host_(host), environment_(environment), profile_(std::move(profile)) {}

  Task<Result<Keys>> fetch(Ctx ctx) override;
  [[nodiscard]] std::string description() const override { return "profile " + profile_; }

 private:
  Host& host_;
  const Environment environment_;
  const std::string profile_;
};

// The host runs the program anew for each renewal. A setting that is missing is a refusal as well.
class ProcessKeys : public KeySource {
 public:
  ProcessKeys(Host& host, const Environment& environment, std::string profile)
      : host_(host), environment_(environment), profile_(std::move(profile)) {}

  Task<Result<Keys>> fetch(Ctx ctx) override;
  [[nodiscard]] std::string description() const override {
    return "credential_process of profile " + profile_;
  }
  [[nodiscard]] std::chrono::milliseconds pause() const override { return std::chrono::seconds(5); }

 private:
  Task<Result<std::string>> output(Ctx ctx);

  Host& host_;
  const Environment environment_;
  const std::string profile_;
};

}  // namespace ccm::aws
