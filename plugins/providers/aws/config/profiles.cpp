#include "profiles.hpp"

#include "cloud_config.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <algorithm>

namespace ccm::aws {
namespace {

constexpr size_t kMostLines = 10'000;

Status fault(std::string_view file, size_t line, const char* what) {
  return invalid_configuration(std::string(file) + ", line " + std::to_string(line) + ": " + what);
}

// "[profile a]" of config, "[a]" of credentials; nothing for other kinds of sections.
std::string profile_of(std::string_view header, bool is_config) {
  std::string_view name = trim(header);
  if (is_config && name != "default") {
    if (!name.starts_with("profile") || name.size() < 8 ||
        kBlanks.find(name[7]) == std::string_view::npos) {
      return {};
    }
    name = trim(name.substr(7));
  }
  return std::string(name);
}

// Without a comment: " #" or " ;" begins one.
std::string_view without_comment(std::string_view value) {
  for (size_t at = 0; at + 1 < value.size(); ++at) {
    const bool blank = kBlanks.find(value[at]) != std::string_view::npos;
    if (blank && (value[at + 1] == '#' || value[at + 1] == ';')) return trim(value.substr(0, at));
  }
  return trim(value);
}

class File {
 public:
  File(std::string_view name, bool is_config, std::map<std::string, Profile, std::less<>>& into)
      : name_(name), is_config_(is_config), into_(into) {}

  Status read(std::string_view text) {
    for (size_t number = 1; !text.empty(); ++number) {
      if (number > kMostLines) return fault(name_, number, "the file is too long");
      const size_t end = std::min(text.find('\n'), text.size());
      if (Status status = line(text.substr(0, end), number); !status.ok()) return status;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
  }

 private:
  Status line(std::string_view whole, size_t number) {
    const std::string_view text = trim(whole);
    if (text.empty() || text.front() == '#' || text.front() == ';') return {};
    if (text.front() == '[') return header(text, number);
    // An indented line belongs to the setting above: "s3 =" and what follows.
    if (kBlanks.find(whole.front()) != std::string_view::npos) return {};
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) return fault(name_, number, "expected KEY = VALUE");
    if (profile_ != nullptr) {
      const std::string key = lower_case(trim(text.substr(0, equals)));
      profile_->settings[key] = without_comment(text.substr(equals + 1));
      if (key == kCredentialProcess) profile_->process_file = name_;
    }
    return {};
  }

  Status header(std::string_view text, size_t number) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return fault(name_, number, "expected ] after [");
    const std::string profile = profile_of(text.substr(1, end - 1), is_config_);
    profile_ = profile.empty() ? nullptr : &into_[profile];
    return {};
  }

  std::string_view name_;
  bool is_config_;
  std::map<std::string, Profile, std::less<>>& into_;
  Profile* profile_ = nullptr;  // where a setting belongs; nullptr = to none of ours
};

}  // namespace

Result<Profiles> Profiles::parse(std::string_view config, std::string_view credentials) {
  Profiles profiles;
  Status status = File(kConfigFile, true, profiles.all_).read(config);
  if (!status.ok()) return status;
  status = File(kCredentialsFile, false, profiles.all_).read(credentials);
  if (!status.ok()) return status;
  return profiles;
}

const Profile* Profiles::find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

std::string setting(const Profile& profile, std::string_view key) {
  const auto found = profile.settings.find(key);
  return found == profile.settings.end() ? std::string() : found->second;
}

}  // namespace ccm::aws
