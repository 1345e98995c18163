// The rule for all that becomes code of this process: root or one user owns it, and no one else may
// write to it. Any thread; touches the file system only.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

namespace ccm::plugin {

struct RuleFault {
  std::string what;    // after its name: "belongs to user 1000, not to root or user 65532"
  std::string remedy;  // "run chown root /opt/x"
};

std::optional<RuleFault> owner_fault(const std::filesystem::path& path, const struct stat& status,
                                     uid_t uid);

// Its group or all may write to it.
bool others_can_write(const struct stat& status);
std::string mode_text(const struct stat& status);  // "0755"

// Of a file: both.
std::optional<RuleFault> file_fault(const std::filesystem::path& path, const struct stat& status,
                                    uid_t uid);

}  // namespace ccm::plugin
