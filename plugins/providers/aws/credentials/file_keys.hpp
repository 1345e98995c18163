// Keys of a profile in the shared files, read again whenever AWS refused them: somebody rotated
// them; or of the program that its credential_process names. Also where those files are. [serial]
#pragma once

#include "aws/config/environment.hpp"
#include "aws/config/profiles.hpp"
#include "source.hpp"

#include <ccm/host.hpp>
#include <ccm/process.hpp>

#include <string>
#include <utility>

namespace ccm::aws {

// AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE, by default in ~/.aws. A file that is not there
// counts as empty. Failures: invalid_argument as Profiles::parse; those of the host for files that
// cannot be read.
Task<Result<Profiles>> read_profiles(Host& host, Ctx ctx, const Environment& environment);

class FileKeys : public KeySource {
 public:
  // `process`: of its credential_process, which the host runs anew for each renewal.
  FileKeys(Host& host, const Environment& environment, std::string profile, bool process = false)
      : host_(host), environment_(environment), profile_(std::move(profile)), process_(process) {}

  Task<Result<Keys>> fetch(Ctx ctx) override;
  [[nodiscard]] std::string description() const override {
    return (process_ ? "credential_process of profile " : "profile ") + profile_;
  }

 private:
  [[nodiscard]] Command command_of(const Profile& profile) const;

  Host& host_;
  const Environment environment_;
  const std::string profile_;
  const bool process_;
};

}  // namespace ccm::aws
