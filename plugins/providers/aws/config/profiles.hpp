// The files that AWS's tools share, ~/.aws/config and ~/.aws/credentials. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <map>
#include <string>
#include <string_view>

namespace ccm::aws {

struct Profile {
  // Keys are lower case. Never log the values.
  std::map<std::string, std::string, std::less<>> settings;
  // Which of the files credential_process stands in: kConfigFile or kCredentialsFile.
  std::string_view process_file;
};

// The variables that name them.
inline constexpr std::string_view kConfigFile = "AWS_CONFIG_FILE";
inline constexpr std::string_view kCredentialsFile = "AWS_SHARED_CREDENTIALS_FILE";
// A setting: the program that prints keys.
inline constexpr std::string_view kCredentialProcess = "credential_process";

class Profiles {
 public:
  // Texts of both files; empty where there is none. What stands in the second counts before the
  // first. Sections of other kinds (sso-session, services), and settings within a setting, are
  // left out. Failure: invalid_argument, "line 3: ...", which shows no value; also beyond 10,000
  // lines.
  static Result<Profiles> parse(std::string_view config, std::string_view credentials);

  // nullptr when there is no such profile.
  [[nodiscard]] const Profile* find(std::string_view name) const;

 private:
  std::map<std::string, Profile, std::less<>> all_;
};

// The value, "" when there is none.
[[nodiscard]] std::string setting(const Profile& profile, std::string_view key);

}  // namespace ccm::aws
